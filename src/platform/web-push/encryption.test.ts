import { expect, it } from 'vitest'
import { areBrowserKeys, encryptForBrowser, MESSAGE_MAX_BYTES } from './encryption.ts'

const bytes = (text: string) => Buffer.from(text, 'base64url')
const p256dh = bytes(
  'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
)
const auth = bytes('BTBZMqHH6r4Tts7J_aSIgg')

it('a message is encrypted as in the example of RFC 8291', () => {
  const body = encryptForBrowser(
    Buffer.from('When I grow up, I want to be a watermelon'),
    { p256dh, auth },
    {
      salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
      private_key: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
    },
  )
  expect(body.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6' +
      'TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qul' +
      'cy4a-fN',
  )
})

it('keys that are not of the curve are refused, and so are messages that no service has to accept', () => {
  expect(areBrowserKeys({ p256dh, auth })).toBe(true)
  expect(areBrowserKeys({ p256dh: Buffer.alloc(65, 4), auth })).toBe(false)
  expect(areBrowserKeys({ p256dh, auth: auth.subarray(1) })).toBe(false)
  const longest = encryptForBrowser(Buffer.alloc(MESSAGE_MAX_BYTES), { p256dh, auth })
  expect(longest).toHaveLength(4096)
  const longer = Buffer.alloc(MESSAGE_MAX_BYTES + 1)
  expect(() => encryptForBrowser(longer, { p256dh, auth })).toThrow(RangeError)
})
