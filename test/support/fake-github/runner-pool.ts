import type { Runner } from './runner';

/**
 * Runners in the order of their registration, made for large fleets: adding is O(1), a page is one slice, and removing finds
 * its place by binary search.
 */
export class RunnerPool {
  /** sizes of the first pages; GitHub has been seen to send short pages in the middle of a list (terraform-aws-github-runner#167) */
  pageSizes: readonly number[] = [];

  private readonly runners: Runner[] = [];
  private readonly places: number[] = [];
  private readonly placeOf = new Map<Runner, number>();
  private nextPlace = 0;

  get size(): number {
    return this.runners.length;
  }

  add(runner: Runner): void {
    this.runners.push(runner);
    this.places.push(this.nextPlace);
    this.placeOf.set(runner, this.nextPlace++);
  }

  remove(runner: Runner): void {
    const place = this.placeOf.get(runner);
    if (place === undefined) return;
    const index = this.indexOf(place);
    this.runners.splice(index, 1);
    this.places.splice(index, 1);
    this.placeOf.delete(runner);
  }

  all(): readonly Runner[] {
    return this.runners;
  }

  /** Pages count from 1; a page behind the end is empty. */
  page(page: number, perPage: number): readonly Runner[] {
    const start = this.startOf(page, perPage);
    return this.runners.slice(start, start + (this.pageSizes[page - 1] ?? perPage));
  }

  lastPage(perPage: number): number {
    const shaped = this.pageSizes.length;
    for (let page = 1; page <= shaped; page++) {
      if (this.startOf(page + 1, perPage) >= this.size) return page;
    }
    return Math.max(1, shaped + Math.ceil((this.size - this.startOf(shaped + 1, perPage)) / perPage));
  }

  private startOf(page: number, perPage: number): number {
    const shaped = this.pageSizes.slice(0, page - 1);
    return shaped.reduce((sum, size) => sum + size, 0) + (page - 1 - shaped.length) * perPage;
  }

  private indexOf(place: number): number {
    let low = 0;
    let high = this.places.length - 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.places[middle] < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
