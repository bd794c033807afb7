/**
 * The buffer on disk: files of lines, each of which becomes one batch. Lines are appended only to the
 * newest file. A sealed file never changes, so that a batch has the same bytes in every attempt, also
 * after a restart. Files of an earlier process are sealed.
 */
import { randomBytes } from 'node:crypto'
import {
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { createGroupSync } from './group-sync.ts'
import { listFiles, readLines, SUFFIX } from './segment-files.ts'

export type Segment = {
  /** A number, which defines the order, and a random part, because numbers can repeat. */
  name: string
  entries: number
  bytes: number
  /** Resolves when the file is synced to the disk and can be sent. */
  synced: Promise<void>
}

export type SegmentsOptions = {
  folder: string
  entries_max: number
  bytes_max: number
  onFault: (error: Error) => void
}

export type Segments = {
  /** Writes a line to the operating system. @throws Error when the disk is full or fails */
  append: (line: string) => void
  seal: () => void
  /** Returns the sealed files, oldest first. */
  sealed: () => readonly Segment[]
  /** Returns the totals of all files, including the newest one. */
  totals: () => Readonly<{ entries: number; bytes: number }>
  /** Returns whether there are lines that are not sealed. */
  isOpen: () => boolean
  read: (segment: Segment) => { lines: string[]; unreadable: number }
  remove: (segment: Segment) => void
  /** Moves a file to the folder `rejected`, where the operator can inspect it. */
  reject: (segment: Segment) => void
  /** Seals the newest file and waits until everything is synced to the disk. */
  close: () => Promise<void>
}

export const REJECTED = 'rejected'
/** Number of rejected files that are stored; the oldest are removed. */
export const REJECTED_FILES_MAX = 20

/** @throws Error when the folder cannot be written to */
export function openSegments(options: SegmentsOptions): Segments {
  const { folder, entries_max, bytes_max, onFault } = options
  mkdirSync(folder, { recursive: true })
  const sealed = findSegments(folder)
  const sync = createGroupSync(onFault)
  const totals = {
    entries: sealed.reduce((sum, { entries }) => sum + entries, 0),
    bytes: sealed.reduce((sum, { bytes }) => sum + bytes, 0),
  }
  let number = Number.parseInt(sealed.at(-1)?.name ?? '0', 10)
  let current: { segment: Segment; file: number } | undefined

  const start = (): NonNullable<typeof current> => {
    number += 1
    const name = `${String(number).padStart(12, '0')}-${randomBytes(6).toString('hex')}${SUFFIX}`
    const file = openSync(join(folder, name), 'ax')
    current = { segment: { name, entries: 0, bytes: 0, synced: Promise.resolve() }, file }
    return current
  }
  const seal = (): void => {
    if (!current) return
    const { segment, file } = current
    current = undefined
    segment.synced = sync.finish(file)
    if (segment.entries > 0) sealed.push(segment)
    else void segment.synced.then(() => rmSync(join(folder, segment.name), { force: true }))
  }
  const forget = (segment: Segment): void => {
    const index = sealed.indexOf(segment)
    if (index < 0) return
    sealed.splice(index, 1)
    totals.entries -= segment.entries
    totals.bytes -= segment.bytes
  }
  const attempt = (run: () => void): void => {
    try {
      run()
    } catch (error) {
      onFault(error as Error)
    }
  }
  return {
    append: (line) => {
      const bytes = Buffer.byteLength(line)
      if (current && current.segment.bytes + bytes > bytes_max) seal()
      const { segment, file } = current ?? start()
      if (!writeWhole(file, line, segment.bytes)) {
        seal()
        throw new Error('The line could not be written to the disk')
      }
      for (const sum of [segment, totals]) {
        sum.entries += 1
        sum.bytes += bytes
      }
      sync.request(file)
      if (segment.entries >= entries_max) seal()
    },
    seal,
    sealed: () => sealed,
    totals: () => totals,
    isOpen: () => (current?.segment.entries ?? 0) > 0,
    read: ({ name }) => readLines(join(folder, name)),
    remove: (segment) => {
      forget(segment)
      attempt(() => rmSync(join(folder, segment.name), { force: true }))
    },
    reject: (segment) => {
      forget(segment)
      attempt(() => {
        mkdirSync(join(folder, REJECTED), { recursive: true })
        renameSync(join(folder, segment.name), join(folder, REJECTED, segment.name))
        const old = listFiles(join(folder, REJECTED)).slice(0, -REJECTED_FILES_MAX)
        for (const name of old) rmSync(join(folder, REJECTED, name), { force: true })
      })
    },
    close: async () => {
      seal()
      await sync.settled()
    },
  }
}

/** Returns the files of earlier processes and removes those without a complete line. */
const findSegments = (folder: string): Segment[] =>
  listFiles(folder).flatMap((name) => {
    const content = readFileSync(join(folder, name))
    let entries = 0
    for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) entries += 1
    if (entries > 0) return { name, entries, bytes: content.length, synced: Promise.resolve() }
    rmSync(join(folder, name))
    return []
  })

/** Writes a line completely or not at all: a part of it is removed when the disk is full. */
function writeWhole(file: number, line: string, length: number): boolean {
  const bytes = Buffer.from(line)
  try {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(file, bytes, written)
    }
    return true
  } catch {
    try {
      ftruncateSync(file, length)
    } catch {
      // The file then ends with an incomplete line. It is sealed, so nothing is appended to it.
    }
    return false
  }
}
