/**
 * A QR code, black on white in every theme, with the quiet zone of four modules that scanners need
 * (ISO/IEC 18004).
 */
import { encode } from 'uqr'
import styles from './qr.module.css'

const QUIET_MODULES = 4

export function QrCode({ content, label }: { content: string; label: string }) {
  const { size, data } = encode(content, { ecc: 'L', border: QUIET_MODULES })
  return (
    <svg
      class={styles['qr']}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={pathOf(data)} fill="#000000" />
    </svg>
  )
}

/** One rectangle per run of black modules. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  const parts: string[] = []
  for (const [y, row] of rows.entries()) {
    let x = 0
    while (x < row.length) {
      const start = x
      while (row[x] === true) x += 1
      if (x > start) parts.push(`M${start} ${y}h${x - start}v1h-${x - start}z`)
      else x += 1
    }
  }
  return parts.join('')
}
