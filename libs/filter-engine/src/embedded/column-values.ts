import { type ColumnType, dayNumber, type Scalar } from '@tradewind/filters';

/** The value as its column holds it. */
export function integerOrText(type: ColumnType, value: Scalar): bigint | string {
  switch (type) {
    case 'bigint':
      return BigInt(value);
    case 'boolean':
      return value === true ? 1n : 0n;
    case 'date':
      return BigInt(dayNumber(String(value)));
    case 'timestamptz':
      return 1000n * BigInt(Date.parse(String(value)));
    case 'text':
    case 'uuid':
      return String(value);
  }
}
