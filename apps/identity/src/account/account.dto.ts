// What the account pages read. As on the login pages, fields that are not declared are ignored.
import { pageForm, textField, type PageForm } from '../login-pages/login-pages.dto.js';

export interface PasswordForm extends PageForm {
  /** The version of the credentials when the form was shown. */
  version: string;
  password: string;
  newPassword: string;
  repeated: string;
}

export interface SessionForm extends PageForm {
  session: string;
}

export interface ApplicationForm extends PageForm {
  application: string;
}

export interface FactorForm extends PageForm {
  /** The id of a passkey; empty for the app. */
  passkey: string;
}

export interface AskForm extends PageForm {
  email: string;
}

export interface TokenForm extends PageForm {
  /** Of a link. */
  token: string;
}

export interface NewPasswordForm extends TokenForm {
  newPassword: string;
  repeated: string;
}

export const askForm = (body: unknown): AskForm => ({ ...pageForm(body), email: textField(body, 'email') });

export const tokenForm = (body: unknown): TokenForm => ({ ...pageForm(body), token: textField(body, 'token') });

export const newPasswordForm = (body: unknown): NewPasswordForm => ({
  ...tokenForm(body),
  newPassword: textField(body, 'new_password'),
  repeated: textField(body, 'repeated'),
});

export const passwordForm = (body: unknown): PasswordForm => ({
  ...pageForm(body),
  version: textField(body, 'version'),
  password: textField(body, 'password'),
  newPassword: textField(body, 'new_password'),
  repeated: textField(body, 'repeated'),
});

export const sessionForm = (body: unknown): SessionForm => ({ ...pageForm(body), session: textField(body, 'session') });

export const applicationForm = (body: unknown): ApplicationForm => ({
  ...pageForm(body),
  application: textField(body, 'application'),
});

export const factorForm = (body: unknown): FactorForm => ({ ...pageForm(body), passkey: textField(body, 'passkey') });

/** The number of a page of a list; anything that is none is the first. */
export function pageNumber(query: unknown): number {
  const text = textField(query, 'page');
  return /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 1;
}

/** What the page before reports as done, if it is one of these. */
export function doneOf<Name extends string>(query: unknown, names: readonly Name[]): Name | undefined {
  const done = textField(query, 'done');
  return names.find((name) => name === done);
}
