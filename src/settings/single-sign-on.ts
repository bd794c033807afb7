/** Settings of single sign-on with OpenID Connect. */
import { ROLES } from '../modules/accounts/tables.ts'
import { isUuid } from '../platform/ids.ts'
import { isAddressRange, isHost } from '../platform/net/address-text.ts'
import {
  flag,
  integer,
  list,
  optionalChoice,
  optionalFormed,
  optionalText,
  optionalUrl,
  type Setting,
  text,
} from '../platform/settings.ts'

const isRoleOfGroup = (given: string): boolean =>
  ROLES.some((role) => given.endsWith(`=${role}`) && given.length > role.length + 1)

export const SINGLE_SIGN_ON_SETTINGS = {
  oidc_issuer: optionalUrl(['https', 'http'], {
    help: 'Issuer of the OpenID Connect provider of the installation, with `VIGIL_OIDC_CLIENT_ID`, `VIGIL_OIDC_CLIENT_SECRET` and `VIGIL_PUBLIC_URL`. Organizations can have providers of their own',
  }),
  oidc_client_id: optionalText({ help: 'Client id at this provider' }),
  oidc_client_secret: optionalText({ help: 'Client secret at this provider', secret: true }),
  oidc_name: text('single sign-on', {
    help: 'Name of this provider on the sign-in page, after “Sign in with”',
  }),
  oidc_scopes: text('openid email profile', { help: 'Scopes that this provider is asked for' }),
  oidc_email_domains: list(
    '',
    { accepts: isHost, what: 'domains' },
    { help: 'Domains of the e-mail addresses that may sign in by this provider. Empty for all' },
  ),
  oidc_org: optionalFormed(
    { accepts: isUuid, what: 'the id of an organization' },
    {
      help: 'Organization that people without an account join when they sign in by this provider. Without it they are refused',
    },
  ),
  oidc_role_claim: optionalText({
    help: 'Claim with the groups of a person, which decide the role in `VIGIL_OIDC_ORG` at every sign-in. Without it, roles are not changed',
  }),
  oidc_roles: list(
    '',
    { accepts: isRoleOfGroup, what: 'GROUP=owner, GROUP=admin or GROUP=member' },
    { help: 'Roles of groups, such as `vigil-admins=admin,staff=member`' },
  ),
  oidc_default_role: optionalChoice(ROLES, {
    help: 'Role of people without such a group. Without it they are refused',
  }),
  oidc_trusts_factor: flag(false, {
    help: 'Whether every sign-in by this provider counts as one with a second factor. Otherwise the claim `amr` decides',
  }),
  provider_session_hours: integer(
    12,
    { min: 1, max: 720 },
    {
      help: 'Time after which a session of single sign-on ends, however much it is used, so that people who have left are signed out',
    },
  ),
  oidc_allow: list(
    '',
    { accepts: isAddressRange, what: 'IP addresses or CIDR ranges' },
    {
      help: 'Addresses in your own network that providers of organizations may have, such as that of a Keycloak server. The provider of the installation may have any address',
    },
  ),
} as const satisfies Record<string, Setting<unknown>>
