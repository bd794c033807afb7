/** Headers that an organization adds to the deliveries of an endpoint. Their values are secrets. */
import { type Static, Type } from 'typebox'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { strictObject } from '../../../platform/http/schemas.ts'

const HEADERS_MAX = 10
const NAME_MAX_CHARS = 64
const VALUE_MAX_CHARS = 1024
const TOTAL_MAX_CHARS = 4096

export const ownHeaders = Type.Array(
  strictObject({
    name: Type.String({ minLength: 1, maxLength: NAME_MAX_CHARS }),
    value: Type.Optional(
      Type.String({
        maxLength: VALUE_MAX_CHARS,
        description: 'Without it, a header that exists keeps its value',
        'x-secret': true,
      }),
    ),
  }),
  { maxItems: HEADERS_MAX },
)
export type OwnHeaders = Static<typeof ownHeaders>

const TOKEN = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
/** They belong to the connection, the request, or its signature. */
const RESERVED =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|date|via|forwarded|accept-encoding|user-agent|traceparent|tracestate|content-.*|proxy-.*|x-service-.*|x-forwarded-.*|webhook-.*|sec-.*)$/

const headersContext = (endpointId: string): string => `webhook_headers:${endpointId}`

/** @throws AppError 400 naming `headers` */
export async function sealHeaders(
  sealer: Pick<Sealer, 'seal' | 'open'>,
  endpointId: string,
  given: OwnHeaders,
  stored: string | null,
): Promise<{ sealed_headers: string | null; header_names: string[] }> {
  const opened = stored === null ? {} : await openHeaders(sealer, endpointId, stored)
  const known = new Map(Object.entries(opened))
  const headers = new Map<string, string>()
  for (const header of given) {
    const name = header.name.toLowerCase()
    if (!TOKEN.test(name)) throw refused(`"${header.name}" is not the name of a header`)
    if (RESERVED.test(name)) throw refused(`${name} cannot be set`)
    if (headers.has(name)) throw refused(`${name} is there twice`)
    const value = header.value ?? known.get(name)
    if (value === undefined) throw refused(`${name} needs a value`)
    if (!VALUE.test(value)) {
      throw refused(`the value of ${name} must be printable ASCII without spaces at its ends`)
    }
    headers.set(name, value)
  }
  const header_names = [...headers.keys()]
  if (header_names.length === 0) return { sealed_headers: null, header_names }
  const text = JSON.stringify(Object.fromEntries(headers))
  if (text.length > TOTAL_MAX_CHARS) throw refused(`they exceed ${TOTAL_MAX_CHARS} characters`)
  return { sealed_headers: await sealer.seal(text, headersContext(endpointId)), header_names }
}

export async function openHeaders(
  sealer: Pick<Sealer, 'open'>,
  endpointId: string,
  sealed: string,
): Promise<Record<string, string>> {
  const text = String(await sealer.open(sealed, headersContext(endpointId)))
  return JSON.parse(text) as Record<string, string>
}

const refused = (reason: string) => invalidRequest('headers', `headers: ${reason}`)
