/** A server with the given routes and an organization, called as its owner, a member or a stranger. */
import { randomUUID } from 'node:crypto'
import type { Membership } from '../../src/modules/accounts/index.ts'
import type { App } from '../../src/platform/http/app.ts'
import { authenticatorsOf, createBareServer, NO_FACTOR } from './bare-server.ts'

export type Person = 'owner' | 'member' | 'stranger'

export type Portal = {
  app: App
  org_id: string
  user_ids: Record<Person, string>
  call(request: {
    as: Person
    method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
    /** `{org}` is replaced by the id of the organization. */
    path: string
    body?: object
  }): Promise<PortalAnswer>
}

export type PortalAnswer = {
  status: number
  headers: Record<string, unknown>
  text: string
  /** Undefined unless the answer is JSON. */
  body: { success: boolean; message: string; content: Record<string, unknown> } | undefined
}

export function createPortal(addRoutes: (app: App) => void): Portal {
  const org_id: string = randomUUID()
  const user_ids: Record<Person, string> = {
    owner: randomUUID(),
    member: randomUUID(),
    stranger: randomUUID(),
  }
  const membership = { org_id, plan: 'starter', cell: 'main', ...NO_FACTOR } as const
  const members: Membership[] = [
    { ...membership, user_id: user_ids.owner, role: 'owner' },
    { ...membership, user_id: user_ids.member, role: 'member' },
  ]
  const app = createBareServer({ authenticators: authenticatorsOf(members) })
  addRoutes(app)
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
