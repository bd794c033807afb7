/**
 * The master key that wraps the data keys. It comes from the settings, or from a file in the data
 * folder that is created on first use. During a rotation there are several keys, newest first.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

export type MasterKey = { id: string; key: Buffer }

export type MasterKeys = {
  /** The newest key, which wraps new data keys. */
  readonly current: MasterKey
  find(id: string): MasterKey | undefined
}

export type MasterKeyOptions = {
  /** Comma-separated keys of 32 bytes each in base64, newest first. */
  configured?: string | undefined
  data_dir: string
}

const KEY_BYTES = 32

/**
 * The key file is read on every use (about once per data key), so that a running service follows a
 * rotation made by a command.
 * @throws Error that describes the fault without showing the keys
 */
export function readMasterKeys({ configured, data_dir }: MasterKeyOptions): MasterKeys {
  if (configured !== undefined) {
    const keys = parseKeys(configured.split(','), 'The master key setting')
    return keysFrom(() => keys)
  }
  if (!existsSync(keyFile(data_dir))) createKeyFile(data_dir)
  const keys = keysFrom(() => readKeyFile(data_dir))
  void keys.current
  return keys
}

/** Safe when several processes start together: all of them use the key of the first one. */
export function createKeyFile(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true })
  const complete = writeTemporary(dataDir, [newKey()])
  try {
    // A link is created atomically, and fails when another process was first.
    linkSync(complete, keyFile(dataDir))
    syncFolder(dataDir)
  } catch (error) {
    if (!existsSync(keyFile(dataDir))) throw error
  } finally {
    rmSync(complete)
  }
}

/** First step of a rotation: puts a new key first; the old keys stay readable. */
export function addMasterKey(dataDir: string): void {
  const added = newKey()
  replaceKeyFile(dataDir, [added, ...readKeyFile(dataDir)])
}

/** Last step of a rotation: removes the unused keys, but never the newest one. */
export function dropMasterKeys(dataDir: string, idsInUse: ReadonlySet<string>): void {
  const keys = readKeyFile(dataDir)
  replaceKeyFile(
    dataDir,
    keys.filter(({ id }, index) => index === 0 || idsInUse.has(id)),
  )
}

function keysFrom(read: () => MasterKey[]): MasterKeys {
  return {
    get current() {
      const [current] = read()
      if (current === undefined) throw new Error('There is no master key')
      return current
    },
    find: (id) => read().find((key) => key.id === id),
  }
}

export const keyFile = (dataDir: string): string => join(dataDir, 'master.key')

function readKeyFile(dataDir: string): MasterKey[] {
  const file = keyFile(dataDir)
  return parseKeys(readFileSync(file, 'utf8').split('\n'), `The file ${file}`)
}

function parseKeys(texts: string[], where: string): MasterKey[] {
  const encoded = texts.map((text) => text.trim()).filter((text) => text !== '')
  if (encoded.length === 0) throw new Error(`${where} holds no key`)
  return encoded.map((text) => {
    const key = Buffer.from(text, 'base64')
    const canonical = key.toString('base64')
    if (key.length !== KEY_BYTES || canonical !== text) {
      throw new Error(
        `${where} must hold ${KEY_BYTES} bytes in base64, as "openssl rand -base64 32" prints them`,
      )
    }
    return withId(key)
  })
}

const newKey = (): MasterKey => withId(randomBytes(KEY_BYTES))

/** A hash of 256 random bits reveals nothing about them. */
const withId = (key: Buffer): MasterKey => ({
  id: createHash('sha256').update(key).digest('hex').slice(0, 16),
  key,
})

function replaceKeyFile(dataDir: string, keys: MasterKey[]): void {
  renameSync(writeTemporary(dataDir, keys), keyFile(dataDir))
  syncFolder(dataDir)
}

/** Losing a key in a power cut would make every sealed value unreadable, hence the fsync. */
function writeTemporary(dataDir: string, keys: MasterKey[]): string {
  const path = `${keyFile(dataDir)}.${randomUUID()}`
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, keys.map(({ key }) => `${key.toString('base64')}\n`).join(''))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return path
}

function syncFolder(path: string): void {
  for (const folder of [path, dirname(path)]) {
    const handle = openSync(folder, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  }
}
