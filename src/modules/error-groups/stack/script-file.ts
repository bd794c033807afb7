/** The stable part of the name of a script: bundlers put hashes, versions and numbers into it. */
import { baseName } from './frame.ts'

/** `main.3f2a1b9c.chunk.js?v=2` → `main`; '' for `2817.js`, which is another chunk after the next build. */
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

const BUILD_WORDS = new Set([
  'min',
  'chunk',
  'bundle',
  'prod',
  'esm',
  'umd',
  'development',
  'production',
])

/** Vite and Rollup end names with a hyphen and eight characters of base64url. */
function withoutTail(stem: string): string {
  const tail = stem.length > 9 && stem.charAt(stem.length - 9) === '-' ? stem.slice(-8) : ''
  return tail !== '' && isRandom(tail) ? stem.slice(0, -9) : stem
}

/** Digits, or capitals where no word has them. */
function isRandom(text: string): boolean {
  let [digits, uppers] = [0, 0]
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code >= 48 && code <= 57) digits += 1
    else if (index > 0 && code >= 65 && code <= 90) uppers += 1
  }
  return digits > 0 || uppers > 1
}

/** Numbers, six or more hexadecimal digits with a number, eight or more characters with two numbers. */
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
