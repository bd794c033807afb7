/** The page that shows enterprises and phones and plays them: one document, nothing from elsewhere. */
import type { HttpReply } from '../http-server.ts'
import { script } from './page-script.ts'
import { style } from './page-style.ts'

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Android management emulator</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Android management emulator</h1>
<p id="status" role="status">Connecting</p>
</header>
<main>
<section aria-labelledby="enrol-title">
<h2 id="enrol-title">Enrol a phone</h2>
<form id="enrol">
<label for="token">Token, or the content of the QR code</label>
<textarea id="token" name="token" rows="3" required spellcheck="false"></textarea>
<div class="row">
<label>Brand <input name="brand" placeholder="Google"></label>
<label>Model <input name="model" placeholder="Pixel 9"></label>
<label>Serial number <input name="serial_number" placeholder="chosen"></label>
<label>Android <input name="android_version" placeholder="15" inputmode="decimal"></label>
<label>Ownership <select name="ownership">
<option value="">by the token</option>
<option value="COMPANY_OWNED">company</option>
<option value="PERSONALLY_OWNED">personal</option>
</select></label>
</div>
<label class="check"><input type="checkbox" name="is_automatic" checked> it applies policies and carries out commands by itself</label>
<button type="submit">Enrol</button>
</form>
</section>
<section aria-labelledby="enterprises-title">
<h2 id="enterprises-title">Enterprises</h2>
<ul id="enterprises"></ul>
</section>
<section aria-labelledby="phones-title">
<h2 id="phones-title">Phones</h2>
<div id="phones"></div>
</section>
</main>
<script>${script}</script>
</body>
</html>
`

export const page: HttpReply = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  text: html,
}
