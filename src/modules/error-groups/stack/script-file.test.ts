import { expect, it } from 'vitest'
import { scriptPlace } from './script-file.ts'

it.each([
  ['https://a.example/js/main.3f2a1b9c.chunk.js?v=2#x', 'main'],
  ['/assets/index-BnCq3x2_.js', 'index'],
  ['/assets/index-D_k-3Pq9.js', 'index'],
  ['/assets/my-checkout.js', 'my-checkout'],
  ['/js/jquery-3.6.0.min.js', 'jquery'],
  ['/js/2817.js', ''],
  ['/_next/static/chunks/pages/cart-8a7d6c5b4f3e2d1c.js', 'cart'],
  ['webpack:///./src/grid/Grid.tsx?9f0e', 'grid'],
  ['C:\\app\\OrderForm.js', 'orderform'],
  ['vendors~main.deadbeef.js', 'vendors-main'],
  ['', ''],
])('%s is %j in every build', (url, place) => {
  expect(scriptPlace(url)).toBe(place)
})
