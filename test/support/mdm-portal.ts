/** Routes of device management in front of an organisation, with an owner, a member and a stranger. */
import { randomUUID } from 'node:crypto'
import type { Members } from '../../src/modules/accounts/index.ts'
import type { App } from '../../src/platform/http/app.ts'
import { createBareServer } from './bare-server.ts'

export type Person = 'owner' | 'member' | 'stranger'

export type Portal = {
  app: App
  org_id: string
  user_ids: Record<Person, string>
  call(request: {
    as: Person
    method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
    /** `{org}` stands for the organisation. */
    path: string
    body?: object
  }): Promise<PortalAnswer>
}

export type PortalAnswer = {
  status: number
  headers: Record<string, unknown>
  text: string
  /** Undefined when it is no JSON. */
  body: { success: boolean; message: string; content: Record<string, unknown> } | undefined
}

export function createPortal(addRoutes: (app: App, accounts: Members) => void): Portal {
  const org_id: string = randomUUID()
  const user_ids: Record<Person, string> = {
    owner: randomUUID(),
    member: randomUUID(),
    stranger: randomUUID(),
  }
  const roles = new Map([
    [user_ids.owner, 'owner' as const],
    [user_ids.member, 'member' as const],
  ])
  const accounts: Members = {
    membership: (userId, orgId) => {
      const role = roles.get(userId)
      const isMember = role !== undefined && orgId === org_id
      const membership = { org_id, user_id: userId, plan: 'starter' as const }
      return Promise.resolve(isMember ? { ...membership, role } : undefined)
    },
  }
  const app = createBareServer({
    authenticators: {
      key: () => Promise.resolve(undefined),
      token: (token) => Promise.resolve({ user_id: token }),
    },
  })
  addRoutes(app, accounts)
  return {
    app,
    org_id,
    user_ids,
    call: async ({ as, method = 'GET', path, body }) => {
      const answer = await app.inject({
        method,
        url: path.replaceAll('{org}', org_id),
        headers: { authorization: `Bearer ${user_ids[as]}` },
        ...(body && { payload: body }),
      })
      const isJson = String(answer.headers['content-type']).startsWith('application/json')
      return {
        status: answer.statusCode,
        headers: answer.headers,
        text: answer.body,
        body: isJson ? (JSON.parse(answer.body) as PortalAnswer['body']) : undefined,
      }
    },
  }
}
