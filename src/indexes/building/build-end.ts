/** The build cannot succeed; the owner of the index sees why. */
export class BuildFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The index was canceled, deleted, or is built by somebody else: this attempt writes nothing more. */
export class BuildSuperseded extends Error {}
