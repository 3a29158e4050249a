// The package `ai` with its providers against a running server.
import assert from 'node:assert/strict';
import { assertFits, load, question, run, schema, url } from './calls.mjs';
const { generateText, streamText, generateObject, streamObject, embedMany, tool, jsonSchema, stepCountIs } = await load('ai');
const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible');
const { createAnthropic } = await load('@ai-sdk/anthropic');
const { createOpenResponses } = await load('@ai-sdk/open-responses');
const compatible = createOpenAICompatible({
  name: 'fireside', baseURL: url + '/v1', apiKey: 'none', includeUsage: true, supportsStructuredOutputs: true });
const anthropic = createAnthropic({ baseURL: url + '/v1', apiKey: 'none' });
const responses = createOpenResponses({ name: 'fireside', url: url + '/v1/responses' });
const common = { prompt: question, maxRetries: 0, temperature: 0 };
const given = jsonSchema(schema);

function callsOf(model) {
  const weather = tool({ description: 'The weather', inputSchema: given, execute: async () => 'Rain' });
  const toolChoice = { type: 'tool', toolName: 'weather' };
  return {
    async generateText() {
      const { text, usage } = await generateText({ ...common, model, maxOutputTokens: 8 });
      assert.ok(text.length > 0 && usage.outputTokens > 0);
    },
    async streamText() {
      const result = streamText({ ...common, model, maxOutputTokens: 8 });
      let said = '';
      for await (const piece of result.textStream)
        said += piece;
      assert.ok(said.length > 0 && (await result.usage).outputTokens > 0);
    },
    async generateObject() {
      assertFits((await generateObject({ ...common, model, schema: given, maxOutputTokens: 60 })).object);
    },
    async streamObject() {
      const result = streamObject({ ...common, model, schema: given, maxOutputTokens: 60 });
      for await (const part of result.partialObjectStream)
        assert.equal(typeof part, 'object');
      assertFits(await result.object);
    },
    async tools() {
      const { toolCalls, toolResults } = await generateText(
        { ...common, model, tools: { weather }, toolChoice, maxOutputTokens: 60 });
      assertFits(toolCalls[0].input);
      assert.equal(toolResults[0].output, 'Rain');
    },
    async streamedTools() {
      const result = streamText({ ...common, model, tools: { weather }, toolChoice, maxOutputTokens: 60 });
      await result.consumeStream();
      assertFits((await result.toolCalls)[0].input);
    },
    async toolLoop() { // the result of the call goes back
      const { steps } = await generateText({
        ...common, model, tools: { weather }, maxOutputTokens: 60, stopWhen: stepCountIs(2),
        prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? toolChoice : 'auto' }) });
      assert.equal(steps.length, 2);
    },
    async abort() {
      const controller = new AbortController();
      const result = streamText({ ...common, model, maxOutputTokens: 200, abortSignal: controller.signal, onError() {} });
      for await (const piece of result.textStream)
        controller.abort();
    },
    async errors() {
      await assert.rejects(generateText({ ...common, model, maxOutputTokens: 8, prompt: 'x '.repeat(9000) }),
        (error) => error.statusCode === 400 && /prompt is too long/.test(error.message));
    },
  };
}

await run('ai @ai-sdk/openai-compatible', {
  ...callsOf(compatible('starter')),
  async embedMany() {
    const { embeddings } = await embedMany(
      { model: compatible.textEmbeddingModel('starter'), values: ['one', 'two'], maxRetries: 0 });
    assert.equal(embeddings.length, 2);
  },
});
await run('ai @ai-sdk/anthropic', callsOf(anthropic('starter')));
await run('ai @ai-sdk/open-responses', callsOf(responses('starter')));
