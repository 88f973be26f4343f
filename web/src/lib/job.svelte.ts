// A job that is followed while a page shows it.

import { api, follow, isOver, type JobView } from "./api";

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
    this.view = { ...news, points: [...(old?.points ?? []), ...news.points], spot: news.spot || (old?.spot ?? "") };
  }

  /** An answer has everything. */
  set(job: JobView) {
    this.view = job;
  }
}
