// A job that is followed while a page shows it.

import { api, follow, isOver, type JobView, type Point } from "./api";

export class FollowedJob {
  view = $state.raw<JobView | null>(null);
  problem = $state("");
  #end: () => void = () => {};

  constructor(readonly id: string) {}

  /** Loads the job and follows it until it is over; returns what ends that. */
  start(): () => void {
    let live = true;
    api
      .job(this.id)
      .then((job) => {
        if (!live) return;
        this.view = job;
        if (!isOver(job.state)) {
          this.#end = follow(job.id, job.points.length, (news) => this.take(news));
        }
      })
      .catch((error: Error) => (this.problem = error.message));
    return () => {
      live = false;
      this.#end();
    };
  }

  /** News have the points that were added, and no spot. */
  take(news: JobView) {
    const old = this.view;
    this.#show({ ...news, points: joined(old?.points ?? [], news.points), spot: news.spot || (old?.spot ?? "") });
  }

  /** An answer has everything. */
  set(job: JobView) {
    this.#show({ ...job, points: joined(this.view?.points ?? [], job.points) });
  }

  /** Answers and news come on two ways: what is older than the job on screen only adds its points. */
  #show(job: JobView) {
    const old = this.view;
    // A sweep begins to count again with every flop.
    const back = job.kind === "solve" && job.iteration < (old?.iteration ?? 0);
    const older = old && (back || (isOver(old.state) && !isOver(job.state)));
    this.view = older ? { ...old, points: job.points } : job;
  }
}

/** Points in the order of iterations, each once. */
function joined(old: Point[], more: Point[]): Point[] {
  const last = old.at(-1)?.iteration ?? -1;
  const added = more.filter((point) => point.iteration > last);
  return added.length ? [...old, ...added] : old;
}
