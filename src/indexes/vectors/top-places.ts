/** The best places so far, best first; of equal scores, the first place. */
export class TopPlaces {
  readonly #most: number;
  readonly places: number[] = [];
  readonly scores: number[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** False: it is not among the best, and nothing that scores less will be. */
  offer(place: number, score: number): boolean {
    const { places, scores } = this;
    let at = scores.length;
    while (at > 0 && this.#isBehind(at - 1, place, score)) at--;
    if (at >= this.#most) return false;
    places.splice(at, 0, place);
    scores.splice(at, 0, score);
    if (scores.length > this.#most) {
      places.pop();
      scores.pop();
    }
    return true;
  }

  #isBehind(at: number, place: number, score: number): boolean {
    const other = this.scores[at] ?? 0;
    return score > other || (score === other && place < (this.places[at] ?? 0));
  }
}
