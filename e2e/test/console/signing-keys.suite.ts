// Signing keys.
import { describe, expect, it } from '@jest/globals';
import { accounts, openScreen, type ConsoleVisitor } from './console-visitor.js';

export function describeSigningKeys(visitor: () => ConsoleVisitor): void {
  describe('signing keys', () => {
    // The last: services may refuse tokens of a key that they have not read yet.
    it('rotates the signing key when that is safe, or when it is told to do it all the same', async () => {
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await openScreen(page, 'Signing keys');
        const kidOf = (state: string) =>
          page
            .getByRole('row')
            .filter({ has: page.getByText(state, { exact: true }) })
            .locator('code')
            .first()
            .textContent();
        const before = await kidOf('current');
        const dialog = page.getByRole('dialog', { name: 'Let the next key sign?' });
        await page.getByRole('button', { name: 'Rotate' }).click();
        await dialog.getByLabel('Even when the next key was published just now').check();
        await dialog.getByRole('button', { name: 'Rotate the key' }).click();
        await dialog.waitFor({ state: 'detached' });
        expect(await kidOf('previous')).toBe(before);
        expect(await kidOf('current')).not.toBe(before);
        // The next key was published just now.
        await page.getByRole('button', { name: 'Rotate' }).click();
        await dialog.getByRole('button', { name: 'Rotate the key' }).click();
        await dialog.getByRole('alert').getByText('wait, or force it').waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await dialog.waitFor({ state: 'detached' });
      });
    });
  });
}
