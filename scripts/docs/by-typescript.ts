/** Sends the documented requests of `/v1` with the TypeScript client for servers instead of as they are. */
import { createVigil, VigilError } from '../../sdk/server-ts/src/index.ts'
import { type Client, type Outcome, withoutEventIds } from './client-call.ts'

type Method = (...args: unknown[]) => Promise<unknown>

/** @param base_url with `/v1` */
export function typescriptClient(base_url: string): Client {
  const carryOut: Client['carryOut'] = async (call) => {
    const seen: Pick<Outcome, 'sent' | 'answer'>[] = []
    const vigil = createVigil({
      base_url,
      api_key: call.api_key,
      access_token: call.access_token,
      retries: 0,
      fetch: async (target, init) => {
        const url = target instanceof Request ? target.url : String(target)
        const filled = (init?.body as string | undefined) ?? ''
        const body = call.drops_event_ids ? withoutEventIds(filled) : filled
        const response = await fetch(url, { ...init, ...(body !== '' && { body }) })
        const text = await response.text()
        const { status, headers } = response
        seen.push({ sent: { method: init?.method ?? '', url, body }, answer: { status, text } })
        return new Response(text, { status, headers })
      },
    })
    const method = (vigil as unknown as Record<string, Method>)[call.operation]
    const args = [call.params, call.body].filter((each) => each !== undefined)
    const result = await resultOf(
      async () => await method?.(...args, { idempotency_key: call.idempotency_key }),
    )
    const [only, ...others] = seen
    if (!only || others.length > 0) throw new Error(`${call.operation} sent not one request`)
    return { ...only, result }
  }
  return { carryOut, close: async () => await Promise.resolve() }
}

async function resultOf(send: () => Promise<unknown>): Promise<Outcome['result']> {
  try {
    const returned = await send()
    const isFile = returned instanceof ReadableStream
    return { returned: isFile ? await new Response(returned).text() : returned }
  } catch (error) {
    if (!(error instanceof VigilError)) throw error
    return { error: { status: error.status, message: error.message } }
  }
}
