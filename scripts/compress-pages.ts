/**
 * Writes compressed copies of the text files of the built console, so that the service does not compress
 * per request. Run by `npm run build`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { packageRoot } from '../src/platform/package-root.ts'

const TEXT = /\.(js|css|html|svg|json)$/
/** Smaller files save less than the additional headers cost. */
const COMPRESSED_MIN_BYTES = 1024

/** @returns the number of compressed files and the total size of all scripts after gzip */
export function compressPages(folder: string): { files: number; script_gzip_bytes: number } {
  let files = 0
  let script_gzip_bytes = 0
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    if (!TEXT.test(name)) continue
    const content = readFileSync(path)
    const zipped = gzipSync(content, { level: 9 })
    if (name.endsWith('.js')) script_gzip_bytes += zipped.length
    if (content.length < COMPRESSED_MIN_BYTES) continue
    writeFileSync(`${path}.gz`, zipped)
    writeFileSync(`${path}.br`, brotliCompressSync(content))
    files += 1
  }
  return { files, script_gzip_bytes }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { files, script_gzip_bytes } = compressPages(join(packageRoot(), 'build', 'console'))
  console.log(
    `console: ${files} files, ${Math.round(script_gzip_bytes / 1000)} KB of scripts, gzipped`,
  )
}
