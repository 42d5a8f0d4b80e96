export type Item = Record<string, unknown>;

export interface ItemCounts {
  /** Everything in the dataset. */
  total: number;
  /** Distinct ids by type, which a correct reader stores. */
  posts: number;
  comments: number;
  reactions: number;
  /** Items of these types that carry no id. */
  withoutId: number;
  unknownType: number;
  /** Items that repeat an id of their type. */
  repeated: number;
  /** Entries that are no usable item at all; only by the fault `broken_item`. */
  broken: number;
}

export interface DatasetOptions {
  seed: string;
  networkUrl: string;
  oddItems: boolean;
  now: Date;
  /** By fault: nothing was found. */
  isEmpty: boolean;
  /** By fault: the dataset begins with entries that no reader expects. */
  hasBrokenItems: boolean;
}

export interface ItemSums {
  posts: string;
  comments: string;
  reactions: string;
}
