/** The API, as somebody asks who is signed in: the routes, their checks and their audit included. */
import type { Filling } from './context.ts'

export type Ask = <Content = Record<string, unknown>>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
) => Promise<Content>

/** @returns as the owner, with a token of the time at which it is asked */
export function createAsk({
  app,
  services,
  people,
}: Pick<Filling, 'app' | 'services' | 'people'>): Ask {
  return async <Content>(method: Parameters<Ask>[0], path: string, body?: object) => {
    const tokens = await services.accounts.issueTokens(people.owner.email)
    const answer = await app.inject({
      method,
      url: `${path}${path.includes('?') ? '&' : '?'}org_id=${people.org_id}`,
      headers: {
        authorization: `Bearer ${tokens?.access_token ?? ''}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { payload: JSON.stringify(body) }),
    })
    const { content, message } = JSON.parse(answer.body) as { content: Content; message: string }
    if (answer.statusCode !== 200)
      throw new Error(`${method} ${path} answered ${answer.statusCode}: ${message}`)
    return content
  }
}
