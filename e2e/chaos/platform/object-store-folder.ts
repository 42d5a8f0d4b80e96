// The folder of the object store, which a fault can replace by a file: no permission would stop a service that runs as
// root. The services see a symbolic link, because only a link can be replaced in one step. Between two steps a service
// would make the folder again.
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';

export class ObjectStoreFolder {
  private constructor(private readonly path: string) {}

  /** Before any service uses the folder. */
  static async make(path: string): Promise<ObjectStoreFolder> {
    const folder = new ObjectStoreFolder(path);
    await mkdir(path, { recursive: true });
    await rename(path, folder.real);
    await folder.giveBack();
    return folder;
  }

  /** Every write fails from now on. */
  async takeAway(): Promise<void> {
    await writeFile(this.next, '');
    await rename(this.next, this.path);
  }

  async giveBack(): Promise<void> {
    await symlink(this.real, this.next);
    await rename(this.next, this.path);
  }

  private get real(): string {
    return `${this.path}.real`;
  }

  private get next(): string {
    return `${this.path}.next`;
  }
}
