/** Contract of the enterprise (specification, "MDM resources" and "MDM"; OP-28). */
import { type Static, Type } from 'typebox'
import { documented } from '../../../platform/http/documented.ts'

const CALLBACK_MAX_CHARS = 2048
const NAME_MAX_CHARS = 512
const TOKEN_MAX_CHARS = 4096

const EXAMPLE_CALLBACK = 'https://console.example.com/devices/connected'
const EXAMPLE_SIGNUP = {
  signup_url: 'https://play.google.com/adminsignup?token=SAwt0HrQ',
  signup_url_name: 'signupUrls/C4b1a2f3e4d5c6b7',
}
const EXAMPLE_ENTERPRISE = {
  name: 'enterprises/LC02fh1ab3',
  display_name: 'Example Stores',
  created_at: '2026-02-01T08:00:00.000Z',
}

const signupRequest = Type.Object(
  {
    callback_url: Type.String({
      minLength: 1,
      maxLength: CALLBACK_MAX_CHARS,
      description: 'URL to which the provider sends the administrator with an `enterpriseToken`',
      ...documented({ format: 'uri', pattern: '^https?://[^/?#]' }),
    }),
  },
  { $id: 'EnterpriseSignupRequest', examples: [{ callback_url: EXAMPLE_CALLBACK }] },
)

const signup = Type.Object(
  {
    signup_url: Type.String({
      description: 'Page of the provider, which cannot be shown in a frame',
    }),
    signup_url_name: Type.String({ description: 'Needed to create the enterprise' }),
  },
  { $id: 'EnterpriseSignup', examples: [EXAMPLE_SIGNUP], 'x-open-point': 'OP-28' },
)
export type Signup = Static<typeof signup>

const create = Type.Object(
  {
    signup_url_name: Type.String({ minLength: 1, maxLength: NAME_MAX_CHARS }),
    enterprise_token: Type.String({
      minLength: 1,
      maxLength: TOKEN_MAX_CHARS,
      description: 'The `enterpriseToken` that the provider passed to the callback',
      'x-secret': true,
    }),
  },
  {
    $id: 'EnterpriseRequest',
    examples: [
      { signup_url_name: EXAMPLE_SIGNUP.signup_url_name, enterprise_token: 'EAH2pBTtGCs2K28dqhq5' },
    ],
  },
)
export type CreateEnterprise = Static<typeof create>

const enterprise = Type.Object(
  {
    name: Type.String({ description: 'Name of the enterprise at the provider' }),
    display_name: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Enterprise', examples: [EXAMPLE_ENTERPRISE], 'x-open-point': 'OP-28' },
)
export type Enterprise = Static<typeof enterprise>

export const enterpriseSchemas = {
  signupRequest,
  signup,
  create,
  enterprise,
  enterpriseOrNull: Type.Union([enterprise, Type.Null()]),
}
