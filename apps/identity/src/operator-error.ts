/** A mistake of the operator: the terminal gets the sentence alone. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message);
    this.stack = message;
  }
}
