// The promises of ObjectStore, for every implementation.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ObjectStore } from '../../src/object-store.port.js';

export interface ObjectStoreSubject {
  store: ObjectStore;
  /** A bucket that exists. */
  bucket: string;
  /** A second store on the same objects, as another replica has it. */
  replica: ObjectStore;
  /** One more store on the same objects. */
  open(): ObjectStore;
  /** From now on nothing can be created in the bucket. */
  forbidWriting(): Promise<void> | void;
  close(): Promise<void>;
}

export function objectStoreContract(name: string, open: () => Promise<ObjectStoreSubject>): void {
  describe(`${name} keeps the contract of ObjectStore`, () => {
    let subject: ObjectStoreSubject;
    beforeAll(async () => {
      subject = await open();
    }, 180_000);
    afterAll(async () => {
      await subject.close();
    });

    const unusedName = (prefix = 'object') => `${prefix}-${randomUUID()}.json`;
    const listed = async (prefix: string) => {
      const names: string[] = [];
      for await (const each of subject.store.list(subject.bucket, prefix)) names.push(each);
      return names;
    };

    it('reads back what was created, byte for byte, also through another replica', async () => {
      const { store, replica, bucket } = subject;
      const body = JSON.stringify({ name: 'Zoë Øster 🌍', lines: 'a\r\nb', nested: { deep: [1, null] } });
      const object = unusedName();
      expect(await store.create(bucket, object, body, 'application/json')).toBe('created');
      expect(await store.read(bucket, object)).toBe(body);
      expect(await replica.read(bucket, object)).toBe(body);
    });

    it('stores an empty body and one of several megabytes', async () => {
      const { store, bucket } = subject;
      for (const body of ['', 'é'.repeat(3_000_000)]) {
        const object = unusedName();
        expect(await store.create(bucket, object, body, 'text/plain')).toBe('created');
        expect(await store.read(bucket, object)).toBe(body);
      }
    });

    it('changes nothing when the name is taken, and returns exists', async () => {
      const { store, replica, bucket } = subject;
      const object = unusedName();
      await store.create(bucket, object, 'first', 'text/plain');
      expect(await store.create(bucket, object, 'second', 'text/plain')).toBe('exists');
      expect(await replica.create(bucket, object, 'third', 'text/plain')).toBe('exists');
      expect(await store.read(bucket, object)).toBe('first');
    });

    it('returns created to exactly one of twenty parallel creates', async () => {
      const { store, replica, bucket } = subject;
      const object = unusedName();
      const bodies = Array.from({ length: 20 }, (_, index) => `writer ${index}`);
      const answers = await Promise.all(
        bodies.map((body, index) => (index % 2 ? replica : store).create(bucket, object, body, 'text/plain')),
      );
      expect(answers.filter((answer) => answer === 'created')).toHaveLength(1);
      expect(await store.read(bucket, object)).toBe(bodies[answers.indexOf('created')]);
    });

    it('finds nothing under a name that was never created', async () => {
      expect(await subject.store.read(subject.bucket, unusedName())).toBeUndefined();
    });

    it('lists the names with a prefix in ascending order', async () => {
      const { store, bucket } = subject;
      const prefix = `list-${randomUUID()}-`;
      const names = ['b', 'a_2', 'a_10', 'Z', 'ü', '𐐀', 'a b', 'ﬁ'].map((end) => prefix + end);
      for (const object of names) await store.create(bucket, object, '{}', 'application/json');
      await store.create(bucket, `other-${randomUUID()}`, '{}', 'application/json');
      const ascending = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(await listed(prefix)).toEqual(ascending);
      expect(await listed(`${prefix}a_`)).toEqual([`${prefix}a_10`, `${prefix}a_2`]);
      expect(await listed(`none-${randomUUID()}`)).toEqual([]);
    });

    it('treats names that look like paths as plain names', async () => {
      const { store, bucket } = subject;
      for (const object of [
        `../${unusedName()}`,
        `/etc/${unusedName()}`,
        `a/../../${unusedName()}`,
        `.${unusedName()}`,
        `%2e%2e/${unusedName()}`,
      ]) {
        expect(await store.create(bucket, object, object, 'text/plain')).toBe('created');
        expect(await store.read(bucket, object)).toBe(object);
      }
    });

    it('keeps and lists names of up to 1024 bytes', async () => {
      const { store, bucket } = subject;
      const prefix = `long-${randomUUID()}-`;
      const ends = ['x'.repeat(982), '漢'.repeat(320), `${'y'.repeat(458)}..`, `${'z'.repeat(210)}.`];
      const names = ends.map((end) => prefix + end).sort();
      for (const object of names) {
        expect(await store.create(bucket, object, object, 'text/plain')).toBe('created');
        expect(await store.create(bucket, object, 'again', 'text/plain')).toBe('exists');
        expect(await store.read(bucket, object)).toBe(object);
      }
      expect(await listed(prefix)).toEqual(names);
    });

    it('refuses names that no bucket or object can have', async () => {
      const { store, bucket } = subject;
      for (const bad of ['..', '../x', 'UPPER', 'a', 'a/b', '']) {
        await expect(store.create(bad, 'object', '{}', 'application/json')).rejects.toThrow('not a bucket name');
      }
      for (const bad of ['', '.', '..', 'line\nbreak', 'x'.repeat(1025), 'half \ud83d']) {
        await expect(store.create(bucket, bad, '{}', 'application/json')).rejects.toThrow('not an object name');
      }
    });

    it('says that a bucket is writable, without leaving a trace', async () => {
      const { store, replica, bucket } = subject;
      const before = await listed('');
      // At once and from several replicas, as probes come.
      await Promise.all([store, replica, store].map((each) => each.assertWritable(bucket)));
      expect(await listed('')).toEqual(before);
    });

    it('says that a bucket in which nothing can be created is not writable, every time it is asked', async () => {
      const { replica, bucket } = subject;
      await subject.forbidWriting();
      await expect(replica.create(bucket, unusedName(), '{}', 'application/json')).rejects.toThrow();
      // A store of its own: the others may still know the state of a moment ago.
      const other = subject.open();
      await expect(other.assertWritable(bucket)).rejects.toThrow();
      await expect(other.assertWritable(bucket)).rejects.toThrow();
      await other.onApplicationShutdown();
    });
  });
}
