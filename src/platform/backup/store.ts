/** A place for backups: named objects in a folder or in an S3-compatible object store. */
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { createS3Store, type S3Access } from '../net/s3.ts'
import { OperatorError, reasonOf } from '../operator-error.ts'

export type StoredObject = { name: string; bytes: number }

export type BackupStore = {
  /** Replaces the object. It is durable, and never visible in part. */
  put(name: string, bytes: Buffer): Promise<void>
  /** @returns undefined if there is no such object */
  get(name: string): Promise<Buffer | undefined>
  /** Names that begin with the prefix, in ascending order. */
  list(prefix: string): Promise<StoredObject[]>
  /** Does nothing if there is no such object. */
  remove(name: string): Promise<void>
}

const S3_URL = /^s3:\/\/([^/]+)\/?(.*)$/

/**
 * @param place a folder, or `s3://BUCKET/PREFIX`
 * @throws OperatorError if an S3 store lacks its credentials
 */
export function openBackupStore(place: string, access: S3Access): BackupStore {
  const [, bucket, prefix = ''] = S3_URL.exec(place) ?? []
  if (bucket === undefined) return createFolderStore(resolve(place))
  const { access_key_id, secret_access_key } = access
  if (access_key_id === undefined || secret_access_key === undefined) {
    throw new OperatorError(
      `Backups to ${place} need VIGIL_BACKUP_S3_ACCESS_KEY_ID and VIGIL_BACKUP_S3_SECRET_ACCESS_KEY.`,
    )
  }
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
  return createS3Store({
    ...access,
    access_key_id,
    secret_access_key,
    bucket,
    prefix: folder,
  })
}

const PARTIAL = '.partial'

export function createFolderStore(folder: string): BackupStore {
  const pathOf = (name: string): string => {
    const path = join(folder, name)
    const inside = relative(folder, path)
    if (isAbsolute(inside) || inside.startsWith('..')) throw new Error(`not a name: ${name}`)
    return path
  }
  const put = async (name: string, bytes: Buffer): Promise<void> => {
    const path = pathOf(name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(`${path}${PARTIAL}`, 'w', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${path}${PARTIAL}`, path)
    await syncFolder(dirname(path))
  }
  return {
    put: async (name, bytes) => {
      try {
        await put(name, bytes)
      } catch (cause) {
        throw new OperatorError(`Cannot write to the folder ${folder}: ${reasonOf(cause)}`, {
          cause,
        })
      }
    },
    get: async (name) => {
      const path = pathOf(name)
      return existsSync(path) ? await readFile(path) : undefined
    },
    list: async (prefix) => {
      if (!existsSync(folder)) return []
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const names = entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith(PARTIAL))
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
        .filter((name) => name.startsWith(prefix))
      const found = names.toSorted().map(async (name) => ({
        name,
        bytes: (await stat(pathOf(name))).size,
      }))
      return await Promise.all(found)
    },
    remove: async (name) => {
      const path = pathOf(name)
      await rm(path, { force: true })
      await rm(`${path}${PARTIAL}`, { force: true })
      await removeEmpty(dirname(path), folder)
    },
  }
}

/** The rename is durable when the folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function removeEmpty(path: string, root: string): Promise<void> {
  if (path === root || !existsSync(path) || (await readdir(path)).length > 0) return
  await rm(path, { recursive: true })
}
