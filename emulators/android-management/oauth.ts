/**
 * The token endpoint: a service account trades a signed assertion for an access token (RFC 7523,
 * https://developers.google.com/identity/protocols/oauth2/service-account), and bearer tokens are
 * checked on the APIs. All of it by the clock of clients, which sign with theirs.
 */
import { createGoogleOauth, SCOPE_PREFIX, type ServiceAccount } from '../google-oauth.ts'
import type { HttpReply, HttpRequest } from '../http-server.ts'
import type { Core } from './core.ts'
import { ApiError } from './errors.ts'
import { PROJECT } from './state.ts'

export const CLIENT_EMAIL = `android-management@${PROJECT}.iam.gserviceaccount.com`
const ALL_OF_GOOGLE_CLOUD = `${SCOPE_PREFIX}cloud-platform`

export const serviceAccountOf = ({ state, url }: Core): ServiceAccount => ({
  type: 'service_account',
  project_id: PROJECT,
  ...state.service_account,
  client_email: CLIENT_EMAIL,
  token_uri: `${url()}/token`,
})

/** Answers `POST /token`. */
export async function issueToken(core: Core, request: HttpRequest): Promise<HttpReply> {
  const oauth = oauthOf(core)
  oauth.add(serviceAccountOf(core))
  // By whatever name it was reached.
  const names = [`${core.url()}/token`, `http://${request.headers['host'] ?? ''}/token`]
  const answer = await oauth.issue(request.body, names)
  core.touch()
  return answer
}

const oauthOf = (core: Core) => createGoogleOauth(core.clientNow, core.state.access_tokens)

/** Throws unless the request has a bearer token that is good for an API. */
export function authorize(core: Core, request: HttpRequest, api: 'androidmanagement' | 'pubsub') {
  const header = request.headers['authorization']
  const [, token] = /^Bearer (\S+)$/i.exec(header ?? '') ?? []
  const grant = token === undefined ? undefined : oauthOf(core).findGrant(token)
  if (grant === undefined) {
    const what =
      header === undefined
        ? 'Request is missing required authentication credential.'
        : 'Request had invalid authentication credentials.'
    throw new ApiError('UNAUTHENTICATED', `${what} Expected OAuth 2 access token.`)
  }
  const isAllowed = [`${SCOPE_PREFIX}${api}`, ALL_OF_GOOGLE_CLOUD].some((scope) =>
    grant.scopes.includes(scope),
  )
  if (!isAllowed) {
    throw new ApiError('PERMISSION_DENIED', 'Request had insufficient authentication scopes.', [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
        domain: 'googleapis.com',
      },
    ])
  }
}
