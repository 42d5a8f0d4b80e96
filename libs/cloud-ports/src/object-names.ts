// Which bucket and object names are accepted: what Cloud Storage accepts, so that a bad name fails on every machine.

/** 3 to 63 characters, lower-case letters, digits, dots, dashes and underscores, a letter or digit at both ends. */
export function assertBucketName(bucket: string): void {
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/.test(bucket))
    throw new RangeError(`not a bucket name: ${JSON.stringify(bucket)}`);
}

/** 1 to 1024 bytes of well-formed UTF-8 without control characters, and neither `.` nor `..`. */
export function assertObjectName(name: string): void {
  const sizeBytes = Buffer.byteLength(name, 'utf8');
  if (sizeBytes === 0 || sizeBytes > 1024 || /[\p{Cc}\p{Surrogate}]/u.test(name) || /^\.{1,2}$/.test(name)) {
    throw new RangeError(`not an object name: ${JSON.stringify(name.slice(0, 100))}`);
  }
}
