/** The specification's paths (identity.md, "Endpoints"). */
export const routes = {
  authorization: '/oauth/auth',
  token: '/oauth/token',
  userinfo: '/oauth/me',
  jwks: '/oauth/jwks',
  introspection: '/oauth/token/introspection',
  revocation: '/oauth/token/revocation',
  registration: '/oauth/reg',
  end_session: '/oauth/session/end',
  pushed_authorization_request: '/oauth/par',
};
