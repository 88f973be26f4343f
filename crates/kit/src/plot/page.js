// Shows the figures of the bucket under the pointer.
for (const street of document.querySelectorAll(".street")) {
  const data = JSON.parse(street.querySelector("script").textContent);
  const label = street.querySelector("output");
  for (const plot of street.querySelectorAll("svg.hover")) {
    const { left, right, to } = plot.dataset;
    plot.addEventListener("pointerleave", () => (label.style.display = "none"));
    plot.addEventListener("pointermove", (event) => {
      const box = plot.getBoundingClientRect();
      const share = ((event.clientX - box.left) / box.width - left) / (right - left);
      const bucket = Math.floor(share * to);
      if (bucket < 0 || bucket >= data.sizes.length) {
        label.style.display = "none";
        return;
      }
      const percent = (value) => (100 * value).toFixed(2) + " %";
      label.textContent =
        `bucket ${bucket}: equity ${percent(data.equities[bucket])}, ` +
        `spread ${percent(data.spreads[bucket])}, ${data.sizes[bucket].toLocaleString("en")} deals`;
      label.style.display = "block";
      const x = Math.min(event.clientX + 14, innerWidth - label.offsetWidth - 8);
      label.style.left = x + "px";
      label.style.top = event.clientY + 16 + "px";
    });
  }
}
