import { brokenJson } from './broken-json.js';
import type { HostileClass } from './class.types.js';
import { compressedBodies } from './compressed-bodies.js';
import { deepJson } from './deep-json.js';
import { documentBombs } from './document-bombs.js';
import { documented } from './documented.js';
import { hugeNumbers } from './huge-numbers.js';
import { longText } from './long-text.js';
import { oddKeys } from './odd-keys.js';
import { slowBodies } from './slow-bodies.js';
import { smuggledHeaders } from './smuggled-headers.js';
import { tamperedCursors } from './tampered-cursors.js';
import { tamperedTokens } from './tampered-tokens.js';
import { wideJson } from './wide-json.js';

export const allClasses: readonly HostileClass[] = [
  brokenJson,
  deepJson,
  compressedBodies,
  slowBodies,
  tamperedCursors,
  tamperedTokens,
  documented,
  longText,
  hugeNumbers,
  wideJson,
  oddKeys,
  documentBombs,
  smuggledHeaders,
];
