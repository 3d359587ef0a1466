"""Claims: sentences that fail the build when the published results do not bear them out."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

from book.claims import Claim, directive_text, evaluate_claim, parse_claim
from book.documents import BookError, MissingResultsError
from book.expressions import Verdict
from weave.context import Page, complain, page_of


def judge(page: Page, text: str) -> tuple[str, str, list[str]]:
    """A claim's sentence, its values in the published results, and remarks on runs where it does not hold.

    Raises:
        BookError: the claim is malformed, names something unknown, or does not hold in the published results,
            or not in all of their rounds.

    """
    claim = parse_claim(text)
    verdict = judge_published(page, claim)
    if not verdict.holds:
        raise BookError(f"false claim: '{claim.sentence}': published: {_against(verdict)}")
    remarks = []
    for results in page.library.own(page.chapter):
        try:
            own = evaluate_claim(claim, page.data(results))
        except BookError:
            continue  # not measured on that card
        if not own.holds:
            remarks.append(
                f"does not hold on your GPU, {results.gpu_name}: {_against(own)}; published: {verdict}"
            )
    return claim.sentence, str(verdict), remarks


def judge_published(page: Page, claim: Claim) -> Verdict:
    """What the published results of the book's card say of a claim, or of another card that contradicts it.

    Raises:
        BookError: it names something unknown, or would not hold in all rounds.

    """
    first, *others = page.cards_of(claim.sentence) or [None]
    verdicts = [evaluate_claim(claim, page.data(first))]
    for results in others:
        for part in claim.parts:
            try:
                verdicts.append(evaluate_claim(part, page.data(results)))
            except MissingResultsError:
                continue  # not measured on that card yet
    for verdict in verdicts:
        if verdict.holds:
            require_sure(claim, verdict)
    return next((verdict for verdict in verdicts if not verdict.holds), verdicts[0])


def require_sure(claim: Claim, verdict: Verdict) -> None:
    """BookError if a claim would not hold everywhere between the rounds of what it is about."""
    if not verdict.is_sure:
        raise BookError(f"inside of what rounds differ by: '{claim.sentence}': published: {verdict}")


def _against(verdict: Verdict) -> str:
    """What speaks against a claim that does not hold: the comparisons that are false, or else all."""
    false = [str(comparison) for comparison in verdict.comparisons if not comparison.holds]
    return f"{' and '.join(false)} is false" if false else str(verdict)


def _marked(sentence: list[nodes.Node], values: str, remarks: list[str]) -> list[nodes.Node]:
    found: list[nodes.Node] = [nodes.inline("", "", *sentence, classes=["claim"])]
    mark = nodes.abbreviation("", "✓", explanation=f"checked when the book was built: {values}")
    mark["classes"] = ["claim-mark"]
    found.append(mark)
    found += [nodes.inline("", f" ({remark})", classes=["claim-fails"]) for remark in remarks]
    return found


class ClaimRole(SphinxRole):
    """A claim inside a paragraph: {claim}`sentence :: expression`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Judge the claim and show its sentence."""
        try:
            sentence, values, remarks = judge(page_of(self.env), self.text)
        except BookError as error:
            sentence = self.text.partition("::")[0].strip()
            return [nodes.Text(f"{sentence} ("), complain(self, error, "false"), nodes.Text(")")], []
        parsed, messages = self.inliner.parse(sentence, self.lineno, self.inliner, self.inliner.parent)
        return _marked(parsed, values, remarks), messages


class ClaimDirective(SphinxDirective):
    """A claim that is a paragraph of its own: the sentence as argument, the expression as content."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Judge the claim and show its sentence."""
        text = directive_text(self.arguments[0] if self.arguments else "", "\n".join(self.content))
        try:
            sentence, values, remarks = judge(page_of(self.env), text)
        except BookError as error:
            words = nodes.Text(text.partition("::")[0].strip() + " ")
            return [nodes.paragraph("", "", words, complain(self, error, "false"))]
        parsed, _ = self.parse_inline(sentence, lineno=self.lineno)
        return [nodes.paragraph("", "", *_marked(parsed, values, remarks))]


def setup(app: Sphinx) -> None:
    """Register role and directive."""
    app.add_role("claim", ClaimRole())
    app.add_directive("claim", ClaimDirective)
