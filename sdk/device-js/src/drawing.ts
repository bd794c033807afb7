/**
 * Draws text and shapes. Their pixels depend on the graphics hardware, the driver and the fonts. The pixels are
 * compared instead of the image file that FingerprintJS compares: its compression changed between Chromium 131,
 * 143 and 147, the pixels of the shapes did not, nor those of the text from 143 on.
 */
const WIDTH = 240
const HEIGHT = 60
const COLORS = ['#f2f', '#2ff', '#ff2']

/** @returns undefined where nothing can be drawn */
export function drawnPixels(): number[] | undefined {
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH
  canvas.height = HEIGHT
  const context = canvas.getContext('2d')
  if (!context) return undefined
  return [drawText, drawShapes].map((draw) => {
    context.clearRect(0, 0, WIDTH, HEIGHT)
    draw(context)
    return hashOf(context.getImageData(0, 0, WIDTH, HEIGHT).data)
  })
}

/** The fonts are named, because the default fonts are a setting. */
function drawText(context: CanvasRenderingContext2D): void {
  const text = `Cwm fjordbank gly ${String.fromCharCode(55_357, 56_835)}`
  context.textBaseline = 'alphabetic'
  context.fillStyle = '#f60'
  context.fillRect(100, 1, 62, 20)
  context.fillStyle = '#069'
  context.font = '11pt "Times New Roman"'
  context.fillText(text, 2, 15)
  context.fillStyle = 'rgba(102, 204, 0, 0.2)'
  context.font = '18pt Arial'
  context.fillText(text, 4, 45)
}

function drawShapes(context: CanvasRenderingContext2D): void {
  context.globalCompositeOperation = 'multiply'
  for (const [index, color] of COLORS.entries()) {
    context.fillStyle = color
    context.beginPath()
    context.arc(30 + 20 * index, 30 - 8 * (index % 2), 20, 0, Math.PI * 2)
    context.fill()
  }
  context.globalCompositeOperation = 'source-over'
}

/** FNV-1a, 32 bits. */
function hashOf(bytes: Uint8ClampedArray): number {
  let hash = 0x81_1c_9d_c5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01_00_01_93)
  return hash >>> 0
}
