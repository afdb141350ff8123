/** The best places so far, best first; of equal scores, the first place. */
export class TopPlaces {
  readonly #most: number;
  readonly places: number[] = [];
  readonly scores: number[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  offer(place: number, score: number): void {
    const { places, scores } = this;
    let at = scores.length;
    while (at > 0 && isBetter({ place, score }, { place: places[at - 1] ?? 0, score: scores[at - 1] ?? 0 })) at--;
    if (at >= this.#most) return;
    places.splice(at, 0, place);
    scores.splice(at, 0, score);
    if (scores.length <= this.#most) return;
    places.pop();
    scores.pop();
  }
}

type Scored = { place: number; score: number };

function isBetter(one: Scored, other: Scored): boolean {
  return one.score > other.score || (one.score === other.score && one.place < other.place);
}
