/**
 * The token endpoint and the check of bearer tokens on the APIs
 * (https://developers.google.com/identity/protocols/oauth2/service-account). Both use the clock of
 * clients, because clients sign assertions by their own clock.
 */

import {
  authorizeBearer,
  createGoogleOauth,
  SCOPE_PREFIX,
  type ServiceAccount,
} from '../google-oauth.ts'
import type { HttpReply, HttpRequest } from '../http-server.ts'
import type { Core } from './core.ts'
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

export async function issueToken(core: Core, request: HttpRequest): Promise<HttpReply> {
  const oauth = oauthOf(core)
  oauth.add(serviceAccountOf(core))
  // The client may have used any name of this host.
  const names = [`${core.url()}/token`, `http://${request.headers['host'] ?? ''}/token`]
  const answer = await oauth.issue(request.body, names)
  core.touch()
  return answer
}

const oauthOf = (core: Core) => createGoogleOauth(core.clientNow, core.state.access_tokens)

/** @throws ApiError unless the request has a valid bearer token for an API */
export function authorize(core: Core, request: HttpRequest, api: 'androidmanagement' | 'pubsub') {
  const scopes = [`${SCOPE_PREFIX}${api}`, ALL_OF_GOOGLE_CLOUD]
  authorizeBearer(oauthOf(core), request.headers['authorization'], scopes)
}
