import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// Fixed file names: the server embeds them and tells versions apart by their ETag.
export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: "../crates/server/dist",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        entryFileNames: "app.js",
        chunkFileNames: "[name].js",
        assetFileNames: "app[extname]",
        codeSplitting: false,
      },
    },
  },
  // `npx vite` beside `lethe serve --no-open` shows changes at once.
  server: {
    proxy: {
      "/api": { target: "http://localhost:7777", changeOrigin: true, headers: { origin: "http://localhost:7777" } },
    },
  },
});
