/** Requests to the API as the owner, so that routes, their checks and the audit log take part. */
import type { FillContext, People } from './context.ts'

export type Api = <Content = Record<string, unknown>>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
) => Promise<Content>

/** Each request has a separate access token, issued at the time of the demo's clock. */
export function createApi({
  app,
  services,
  people,
}: Pick<FillContext, 'app' | 'services'> & {
  people: Pick<People, 'org_id' | 'owner_id'>
}): Api {
  return async <Content>(method: Parameters<Api>[0], path: string, body?: object) => {
    const tokens = await services.accounts.issueTokens(people.owner_id)
    const response = await app.inject({
      method,
      url: `${path}${path.includes('?') ? '&' : '?'}org_id=${people.org_id}`,
      headers: {
        authorization: `Bearer ${tokens?.access_token ?? ''}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { payload: JSON.stringify(body) }),
    })
    const { content, message } = JSON.parse(response.body) as { content: Content; message: string }
    if (response.statusCode !== 200) {
      throw new Error(`${method} ${path} failed with ${response.statusCode}: ${message}`)
    }
    return content
  }
}
