// The forms of the login pages. Browser extensions and proxies add fields to forms, so undeclared fields are ignored.
// The validation of DTO classes would refuse them.

export interface PageForm {
  _csrf: string;
}

export interface LoginForm extends PageForm {
  email: string;
  password: string;
}

export interface CodeForm extends PageForm {
  code: string;
}

export interface PasskeyAnswerForm extends PageForm {
  /** What the passkey answered, as JSON. */
  answer: string;
}

/** An app has a code, a passkey an answer. */
export interface SetUpForm extends CodeForm, PasskeyAnswerForm {
  setUp: string;
}

export const pageForm = (body: unknown): PageForm => ({ _csrf: textField(body, '_csrf') });

export const loginForm = (body: unknown): LoginForm => ({
  ...pageForm(body),
  email: textField(body, 'email'),
  password: textField(body, 'password'),
});

export const codeForm = (body: unknown): CodeForm => ({ ...pageForm(body), code: textField(body, 'code') });

export const passkeyAnswerForm = (body: unknown): PasskeyAnswerForm => ({
  ...pageForm(body),
  answer: textField(body, 'answer'),
});

export const setUpForm = (body: unknown): SetUpForm => ({
  ...codeForm(body),
  ...passkeyAnswerForm(body),
  setUp: textField(body, 'set_up'),
});

/** A field that is missing or given twice counts as empty. */
export function textField(body: unknown, name: string): string {
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : '';
}
