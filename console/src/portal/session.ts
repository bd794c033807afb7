/** The session of the holder of a link: its token, which stays in memory and in the fragment of the address. */
import { type Call, fetchContent, type Query, send } from '../api/client.ts'
import type { Session } from '../session/session.ts'

const PORTAL = '/console/api/portal'
/** The operations about endpoints, which portals have below another path and without an organization. */
const ENDPOINTS = /^(?:\/console\/api|\/v1)\/webhooks/

export const portalCall = ({ path, query, body, ...call }: Call): Call => ({
  ...call,
  path: path.replace(ENDPOINTS, `${PORTAL}/webhooks`),
  query: query && (withoutOrganization(query) as Query),
  ...(body !== undefined && { body: withoutOrganization(body as object) }),
})

function withoutOrganization(given: object): object {
  const { org_id: _org, ...rest } = given as { org_id?: unknown }
  return rest
}

export function createPortalSession(token: string): Session {
  const refuse = () => Promise.reject(new Error('Holders of links do not sign in'))
  return {
    state: () => 'signed_in',
    user: () => 'portal',
    subscribe: () => () => {},
    resume: () => Promise.resolve(),
    signIn: refuse,
    signInWithPasskey: refuse,
    complete: refuse,
    signOut: () => Promise.resolve(undefined),
    onProofNeeded: () => {},
    call: (call) => fetchContent(portalCall(call), token),
    open: (call) => send(portalCall(call), token),
  }
}
