/** Origins with pages that may frame a portal. They become part of a header, so they are stored as browsers write them. */
import { invalidRequest } from '../../platform/http/errors.ts'

/** Browsers treat pages of the same machine as secure. */
const LOCAL = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/

/** Without the wildcards that the header would allow. */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d+)?$/

/** @throws AppError 400 naming the origin */
export const readOrigins = (given: readonly string[]): string[] => [
  ...new Set(given.map((text, index) => readOrigin(text, `allowed_origins.${index}`))),
]

function readOrigin(text: string, field: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWhole = url?.href === `${url?.origin}/` && HOST.test(url.host)
  if (!url || !isWhole || !(url.protocol === 'https:' || LOCAL.test(url.origin))) {
    throw invalidRequest(
      field,
      `${field} must be an origin, such as https://shop.example.com; http is for this machine only`,
    )
  }
  return url.origin
}
