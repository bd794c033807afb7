/** The stable part of a script's name, without the hashes, versions and numbers of bundlers. */
import { words } from '../words.ts'
import { baseName } from './frame.ts'

/**
 * Returns `main` for `main.3f2a1b9c.chunk.js?v=2`, and '' for `2817.js`, because the next build uses
 * another number.
 */
export function scriptPlace(url: string): string {
  let end = url.length
  for (const mark of ['?', '#']) {
    const at = url.indexOf(mark)
    if (at > 0 && at < end) end = at
  }
  const name = baseName(url.slice(0, end))
  const dot = name.lastIndexOf('.')
  const stem = withoutTail(dot > 0 ? name.slice(0, dot) : name)
  const parts: string[] = []
  for (const part of stem.split(/[.~_-]/)) {
    const lower = part.toLowerCase()
    if (part !== '' && !BUILD_WORDS.has(lower) && !isHash(part)) parts.push(lower)
  }
  return parts.join('-')
}

const BUILD_WORDS = words('min chunk bundle prod esm umd development production')

/** Removes the hyphen and eight base64url characters that Vite and Rollup append. */
function withoutTail(stem: string): string {
  const tail = stem.length > 9 && stem.charAt(stem.length - 9) === '-' ? stem.slice(-8) : ''
  return tail !== '' && isRandom(tail) ? stem.slice(0, -9) : stem
}

/** Random text has digits, or capitals after its first letter. */
function isRandom(text: string): boolean {
  let [digits, uppers] = [0, 0]
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code >= 48 && code <= 57) digits += 1
    else if (index > 0 && code >= 65 && code <= 90) uppers += 1
  }
  return digits > 0 || uppers > 1
}

/** Numbers, six or more hexadecimal digits with a digit, and eight or more characters with two digits. */
function isHash(part: string): boolean {
  let [digits, hex] = [0, 0]
  for (let index = 0; index < part.length; index += 1) {
    const code = part.charCodeAt(index)
    if (code >= 48 && code <= 57) digits += 1
    else if ((code | 32) >= 97 && (code | 32) <= 102) hex += 1
  }
  if (digits === part.length) return true
  if (digits + hex === part.length) return part.length >= 8 || (part.length >= 6 && digits > 0)
  return part.length >= 8 && digits > 1
}
