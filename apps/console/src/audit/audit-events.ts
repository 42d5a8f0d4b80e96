// Events of identity's audit log, as suggestions: the filter takes any text.
export const auditEvents = [
  ...['application.revoked', 'authorization.cancelled', 'consent.given'],
  ...['client.created', 'client.deleted', 'client.edited', 'client.registered', 'client.resource_allowed'],
  ...['client.resource_disallowed', 'client.secret_rotated', 'client.updated'],
  ...['grant.ended', 'grant.revoked', 'key.rotated'],
  ...['login.failed', 'login.second_factor_needed', 'login.succeeded', 'login.throttled'],
  ...['second_factor.added', 'second_factor.codes_renewed', 'second_factor.recovery_code_used'],
  ...['second_factor.removed', 'session.ended', 'token.issued', 'token.revoked'],
  ...['user.company_set', 'user.created', 'user.deleted', 'user.disabled', 'user.email_verified', 'user.enabled'],
  ...['user.invited', 'user.password_link_made', 'user.password_set', 'user.role_set'],
  ...['user.second_factor_reset', 'user.signed_out_everywhere'],
];
