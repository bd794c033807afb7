/**
 * Decides whether a word of a message is data (an id, a number, a path, an address) or text of the
 * programmer. It considers the word alone; `names.ts` considers its context.
 */
import { words } from '../words.ts'
import { characterClass, DIGIT } from './characters.ts'

/** Whether the word varies between occurrences of an error. Reads each character once. */
export function isVariableWord(word: string): boolean {
  const shape = shapeOf(word)
  if (shape.digits > 0) return !isFixedWithDigits(word, shape)
  if (shape.slashes > 0 && isPath(word, shape)) return true
  if (shape.backslashes > 0) return shape.letters > 1
  if (shape.at > 0) return word.length > 2
  if (shape.dots > 0) return isHost(word, shape) || isFileName(word) || isConstantName(word, shape)
  if (shape.letters === word.length && shape.hex === word.length && word.length >= 8) return true
  return word.length <= 5 && BOOLEANS.has(word)
}

const BOOLEANS = new Set(['true', 'false', 'True', 'False', 'TRUE', 'FALSE'])

/** Names of standards and products with digits, in the spelling of error messages. */
const FIXED = words(
  `utf-8 utf8 utf-16 utf16 utf-32 latin1 iso-8859-1 base64 base64url sha1 sha-1 sha256 sha-256
  sha384 sha512 sha-512 md5 crc32 aes-128 aes-256 rsa-2048 x509 x.509 ed25519 hs256 rs256 es256
  ipv4 ipv6 http/1.0 http/1.1 http/2 http/3 http2 http3 oauth2 oauth1 tls1.2 tls1.3 tlsv1.2
  tlsv1.3 sslv3 x86 x64 x86_64 amd64 arm64 win32 win64 i18n l10n k8s s3 ec2 h264 h265 mp3 mp4 es5
  es6 es2015 2fa 3ds 3d 2d int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 log4j
  slf4j neo4j sqlite3 web3 pkcs1 pkcs8 pkcs12`,
)

type Shape = {
  letters: number
  hex: number
  digits: number
  uppers: number
  dots: number
  slashes: number
  backslashes: number
  at: number
}

function shapeOf(word: string): Shape {
  const shape = {
    letters: 0,
    hex: 0,
    digits: 0,
    uppers: 0,
    dots: 0,
    slashes: 0,
    backslashes: 0,
    at: 0,
  }
  for (let index = 0; index < word.length; index += 1) {
    const code = word.charCodeAt(index)
    if (code >= 97 && code <= 122) {
      shape.letters += 1
      if (code <= 102) shape.hex += 1
    } else if (code >= 65 && code <= 90) {
      shape.letters += 1
      shape.uppers += 1
      if (code <= 70) shape.hex += 1
    } else if (code === 46) shape.dots += 1
    else if (code === 47) shape.slashes += 1
    else if (code === 92) shape.backslashes += 1
    else if (code === 64) shape.at += index > 0 ? 1 : 0
    else if (characterClass(code) === DIGIT) shape.digits += 1
  }
  return shape
}

const isFixedWithDigits = (word: string, shape: Shape): boolean =>
  word.length <= 10 && shape.letters > 0 && FIXED.has(word.toLowerCase())

/** Accepts `/var/log`, `a/b/c`, `https://…` and `com.acme/.Main`; not `and/or`, `I/O`, `read/write`. */
function isPath(word: string, shape: Shape): boolean {
  const first = word.charCodeAt(0)
  if (first === 47 || first === 126 || first === 46) return true
  return shape.slashes > 1 || shape.dots > 0 || word.includes('_')
}

export const TOP_LEVEL = words(
  `com net org edu gov mil info biz cloud dev local internal lan corp localdomain arpa ru cn de fr
  uk jp br nl pl au eu tw kr mx es ch cz tr ua vn hk za se dk fi gr hu ro pt ar`,
)

/** Accepts `ns.example.com`, and the reversed form of application names, `com.example.shop`. */
function isHost(word: string, shape: Shape): boolean {
  // Labels can have capitals (`WEB-A.corp.example.com`), but `com.acme.Cart` is a class.
  if (shape.uppers > 0 && shape.uppers < shape.letters && !word.includes('-')) {
    return shape.dots > 1 && isReverseName(word)
  }
  const last = word.slice(word.lastIndexOf('.') + 1).toLowerCase()
  if (TOP_LEVEL.has(last)) return isHostText(word)
  if (shape.uppers > 0 || shape.dots < 2) return false
  const first = word.slice(0, word.indexOf('.'))
  return (
    (first === 'com' || first === 'org' || first === 'net' || first === 'io') && isHostText(word)
  )
}

/** Address records often have labels in capitals: `CUSTOMER.static.IP.example.com`, `Mail.Example.COM`. */
function isReverseName(word: string): boolean {
  const last = word.slice(word.lastIndexOf('.') + 1)
  const lower = last.toLowerCase()
  const isDomain = (last === lower || last === last.toUpperCase()) && REGISTERED.has(lower)
  return isDomain && isHostText(word) && !word.startsWith('com.')
}

/** Top-level domains that are no words of programs, unlike `internal` and `dev`. */
const REGISTERED = words(
  'com net org edu gov mil arpa biz ru cn de fr uk jp br nl pl au eu tw kr mx',
)

const isHostText = (word: string): boolean => /^[A-Za-z_.-]+$/.test(word)

/** Extensions of data files; `Node.js` and `ASP.NET` are words. */
const EXTENSIONS = words(
  `txt log dat json xml csv tsv conf cfg ini yml yaml toml properties tmp bak old lock pid sock gz
  zip tar tgz jar war apk aar exe dll so dylib db sqlite pdf doc docx xls xlsx png jpg jpeg gif
  webp svg mp4 html htm css cab plist pem crt key cer p12 parquet avro`,
)

function isFileName(word: string): boolean {
  const dot = word.lastIndexOf('.')
  return dot > 0 && EXTENSIONS.has(word.slice(dot + 1).toLowerCase())
}

/** Constants such as `android.intent.action.SCREEN_ON` are data, unless they name an error. */
function isConstantName(word: string, shape: Shape): boolean {
  if (shape.dots < 2 || shape.uppers === 0) return false
  const dot = word.lastIndexOf('.')
  const path = word.slice(0, dot)
  const name = word.slice(dot + 1)
  if (path !== path.toLowerCase() || name !== name.toUpperCase() || name.length < 3) return false
  return !ERRORS.some((each) => path.includes(each))
}

const ERRORS = ['err', 'exception', 'fault', 'status', 'code', 'fail']
