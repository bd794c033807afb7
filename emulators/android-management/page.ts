/** The page that shows and controls enterprises and phones: one document without external resources. */
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
<section aria-labelledby="enroll-title">
<h2 id="enroll-title">Enroll a phone</h2>
<form id="enroll">
<label for="token">Token or content of the QR code</label>
<textarea id="token" name="token" rows="3" required spellcheck="false"></textarea>
<div class="row">
<label>Brand <input name="brand" placeholder="Google"></label>
<label>Model <input name="model" placeholder="Pixel 9"></label>
<label>Serial number <input name="serial_number" placeholder="random"></label>
<label>Android version <input name="android_version" placeholder="15" inputmode="decimal"></label>
<label>Ownership <select name="ownership">
<option value="">as the token allows</option>
<option value="COMPANY_OWNED">company-owned</option>
<option value="PERSONALLY_OWNED">personally owned</option>
</select></label>
</div>
<label class="check"><input type="checkbox" name="is_automatic" checked> Apply policies and execute commands automatically</label>
<button type="submit">Enroll</button>
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
