/** A mistake of the operator: the terminal shows the sentence without a stack. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message);
    this.stack = message;
  }
}

/** For commander's options: a whole number of at least 1. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new OperatorError(`expected a positive integer, not "${text}"`);
}

/** For commander's options: a whole number from 1 to `max`. */
export function wholeNumberUpTo(max: number): (text: string) => number {
  return (text) => {
    const value = positiveInteger(text);
    if (value <= max) return value;
    throw new OperatorError(`expected at most ${max}, not "${text}"`);
  };
}
