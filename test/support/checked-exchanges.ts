/**
 * A proxy in front of an Android Management API that validates every request and response against
 * Google's own description of the API.
 */
import { request } from 'undici'
import { type HttpReply, type HttpRequest, startHttp } from '../../emulators/http-server.ts'
import {
  type ApiDescription,
  type ApiFault,
  findMessageFault,
  findMethod,
  findQueryFault,
  readApiDescription,
} from '../../src/platform/google/api-description.ts'

export type CheckedExchanges = {
  url: string
  /** Deviations from the description, as sentences. */
  faults: string[]
  /** Called methods, such as `enterprises.devices.get`, in order. */
  methods: string[]
  close: () => Promise<void>
}

export type Answerer = (request: HttpRequest) => Promise<HttpReply> | HttpReply

export async function startChecked(answer: Answerer): Promise<CheckedExchanges> {
  const api = readApiDescription('android-management')
  const faults: string[] = []
  const methods: string[] = []
  const handle = async (received: HttpRequest): Promise<HttpReply> => {
    const reply = await answer(received)
    const { pathname, searchParams } = new URL(received.path, 'http://checked')
    // The token endpoint and Pub/Sub are not part of the description.
    if (pathname === '/token' || pathname.startsWith('/v1/projects/')) return reply
    const method = findMethod(api, received.method, pathname)
    methods.push(method?.id ?? `${received.method} ${pathname}`)
    const found = !method
      ? { path: pathname, message: 'is not a method' }
      : (findQueryFault(method, searchParams) ??
        bodyFault(api, method.request, received.body) ??
        replyFault(api, method.response, reply))
    if (found) faults.push(`${received.method} ${received.path}: ${found.path} ${found.message}`)
    return reply
  }
  const { url, close } = await startHttp({ port: 0, host: '127.0.0.1', handle })
  return { url, faults, methods, close }
}

/** Forwards every request. */
export const forwardTo =
  (base: string): Answerer =>
  async ({ method, path, headers, body }) => {
    const { authorization = '', host = '', 'content-type': type = '' } = headers
    const answer = await request(`${base}${path}`, {
      method: method as 'GET',
      headers: { authorization, host, ...(type && { 'content-type': type }) },
      body: body === '' ? null : body,
    })
    const text = await answer.body.text()
    return {
      status: answer.statusCode,
      ...(text !== '' && { text, headers: { 'content-type': 'application/json' } }),
    }
  }

function bodyFault(
  api: ApiDescription,
  message: string | null,
  body: string,
): ApiFault | undefined {
  if (message === null) {
    return body === '' ? undefined : { path: 'body', message: 'is not accepted by this method' }
  }
  return findMessageFault(api, message, JSON.parse(body || '{}'), { is_request: true })
}

function replyFault(
  api: ApiDescription,
  message: string | null,
  { status, body, text }: HttpReply,
): ApiFault | undefined {
  if (status !== 200 || message === null) return undefined
  const content: unknown = text === undefined ? body : JSON.parse(text)
  return findMessageFault(api, message, content, { is_request: false })
}
