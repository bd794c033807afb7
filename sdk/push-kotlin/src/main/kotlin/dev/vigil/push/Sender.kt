/** Sends one request and classifies its answer. */
package dev.vigil.push

import java.io.IOException
import java.util.concurrent.TimeUnit
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.booleanOrNull
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.doubleOrNull
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import okhttp3.Call
import okhttp3.Callback
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import okhttp3.Response

private const val RETRY_AFTER_DEFAULT_S = 60.0
private const val ANSWER_MAX_BYTES = 1_000_000L
private val JSON_TYPE = "application/json".toMediaType()

internal class Sender(private val options: PushOptions) {
    // A redirect would pass the secret on to another address.
    private val http = options.http.newBuilder()
        .callTimeout(options.timeoutMs, TimeUnit.MILLISECONDS)
        .followRedirects(false)
        .build()

    /** Calls [onAnswer] on a thread of OkHttp. */
    fun send(step: Step, onAnswer: (Answer) -> Unit) {
        val request = Request.Builder()
            .url(options.serviceUrl.trimEnd('/') + step.path)
            .header("X-API-Key", options.apiKey)
            .post(JsonObject(step.body).toString().toByteArray().toRequestBody(JSON_TYPE))
            .build()
        http.newCall(request).enqueue(object : Callback {
            override fun onFailure(call: Call, e: IOException) = onAnswer(Answer.Failed)

            override fun onResponse(call: Call, response: Response) = onAnswer(
                runCatching { response.use { read(it.code, it.peekBody(ANSWER_MAX_BYTES).string()) } }
                    .getOrElse { Answer.Failed },
            )
        })
    }
}

/** Pages of proxies and of networks that want a sign-in are failures with any status. */
private fun read(status: Int, text: String): Answer {
    val envelope = Json.parseToJsonElement(text).jsonObject
    val content = envelope["content"] as? JsonObject
    val isSuccess = envelope["success"]?.jsonPrimitive?.booleanOrNull
    if (isSuccess == true && status == 200 && content != null) return Answer.Success(content)
    if (isSuccess != false || status < 400 || status == 408 || status >= 500) return Answer.Failed
    if (status == 429) {
        val seconds = content?.get("retry_after").primitive()?.doubleOrNull?.takeIf { it >= 0 }
        return Answer.Limited(seconds ?: RETRY_AFTER_DEFAULT_S)
    }
    val message = envelope["message"].primitive()?.contentOrNull ?: ""
    return Answer.Refused(status, message, content?.get("field").primitive()?.contentOrNull)
}

private fun JsonElement?.primitive() = this as? JsonPrimitive
