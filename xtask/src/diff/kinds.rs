//! The one table of change kinds: what each means for a client that was built
//! before it, as an argument, in an answer, or on the surface beside both.

use crate::diff::bump::Bump;

/// Who decides the verdict of a change in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// Set inclusion: what was valid must stay valid in an input, and what can
    /// be answered must have been promised in an output.
    Sets,
    /// The policy: this verdict, whatever the sets say.
    Fixed(Bump),
    /// It cannot happen here; the text says why.
    Never(&'static str),
}

/// A row of the table.
pub struct Kind {
    /// A past fact; also the name of its fixtures.
    pub id: &'static str,
    /// As part of an argument.
    pub input: Judge,
    /// As part of an answer.
    pub output: Judge,
    /// Beside both.
    pub surface: Judge,
    /// For whoever compiles against the generated source.
    pub sdk: Bump,
    /// Why.
    pub because: &'static str,
}

use Bump::{Major, Minor, None, Patch};
use Judge::{Fixed, Never, Sets};

/// Of a change of a schema: nothing beside arguments and answers has one.
const SCHEMA: Judge = Never("it is a change of a schema");
/// Of a change of the surface: it is in no schema.
const SURFACE: Judge = Never("it is no change of a schema");

macro_rules! kinds {
    ($($rule:ident $id:literal $input:expr, $output:expr, $surface:expr, $sdk:ident, $because:literal;)*) => {
        /// What can change; named as past facts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule { $($rule),* }

        impl Rule {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$rule),*];

            /// Returns the row of the kind.
            pub fn kind(self) -> &'static Kind {
                match self {
                    $(Self::$rule => const {
                        &Kind { id: $id, input: $input, output: $output, surface: $surface, sdk: $sdk, because: $because }
                    },)*
                }
            }
        }
    };
}

// The SDK column is true of the strictest generated language, which is Rust:
// its structs are public to the last field and its enums are closed, so that a
// new field breaks who builds or takes apart the struct, and a new member
// breaks who matches without a wildcard. TypeScript breaks less.
kinds! {
    // Fields.
    FieldAddedOptional "field_added_optional" Sets, Sets, SCHEMA, Major, "a client that does not know the field goes on without it";
    FieldAddedRequired "field_added_required" Sets, Sets, SCHEMA, Major, "a client that does not know the field cannot send it";
    FieldRemoved "field_removed" Fixed(Major), Fixed(Major), SCHEMA, Major, "a client that sends or reads the field no longer gets what it was promised";
    FieldBecameRequired "field_became_required" Sets, Sets, SCHEMA, Major, "a client that left the field out is refused";
    FieldBecameOptional "field_became_optional" Sets, Sets, SCHEMA, Major, "a client that reads the field may no longer find it";
    // Types and values.
    TypeWidened "type_widened" Sets, Sets, SCHEMA, Major, "values of another type may come";
    TypeNarrowed "type_narrowed" Sets, Sets, SCHEMA, Major, "values of a type that was accepted no longer are";
    TypeReplaced "type_replaced" Sets, Sets, SCHEMA, Major, "values of the old type no longer fit";
    EnumValueAdded "enum_value_added" Sets, Sets, SCHEMA, Major, "a value may come that no old client knows";
    EnumValueRemoved "enum_value_removed" Sets, Sets, SCHEMA, Major, "a value that was accepted no longer is";
    OpenEnumValueAdded "open_enum_value_added" Never("enums of inputs are closed"), Fixed(Minor), SCHEMA, None, "clients were told that the enum may grow";
    OpenEnumValueRemoved "open_enum_value_removed" Never("enums of inputs are closed"), Fixed(Minor), SCHEMA, None, "clients read any value, and one comes no more";
    EnumOpened "enum_opened" Never("enums of inputs are closed"), Fixed(Major), SCHEMA, Major, "clients were not told that the enum may grow";
    EnumClosed "enum_closed" Never("enums of inputs are closed"), Fixed(Minor), SCHEMA, Major, "more is promised than before";
    ValuesImposed "values_imposed" Sets, Sets, SCHEMA, Major, "only listed values remain";
    ValuesLifted "values_lifted" Sets, Sets, SCHEMA, Major, "any value may come";
    BoundTightened "bound_tightened" Sets, Sets, SCHEMA, None, "values beyond the new bound no longer fit";
    BoundLoosened "bound_loosened" Sets, Sets, SCHEMA, None, "values beyond the old bound may come";
    ByteBoundTightened "byte_bound_tightened" Fixed(Major), Never("outputs have no bound in bytes"), SCHEMA, None, "texts of more bytes are refused, which no JSON Schema keyword can say";
    ByteBoundLoosened "byte_bound_loosened" Fixed(Minor), Never("outputs have no bound in bytes"), SCHEMA, None, "longer texts are accepted";
    MultipleChanged "multiple_changed" Sets, Sets, SCHEMA, None, "numbers between the new steps no longer fit";
    PatternAdded "pattern_added" Sets, Sets, SCHEMA, None, "texts that the pattern does not match no longer fit";
    PatternRemoved "pattern_removed" Sets, Sets, SCHEMA, None, "texts that the pattern refused may come";
    PatternChanged "pattern_changed" Sets, Sets, SCHEMA, None, "the two patterns match different texts";
    FormatAdded "format_added" Fixed(Major), Fixed(Minor), SCHEMA, None, "where formats are enforced, texts of another format are refused";
    FormatRemoved "format_removed" Fixed(Minor), Fixed(Major), SCHEMA, None, "where formats are enforced, a reader relied on this one";
    FormatChanged "format_changed" Fixed(Major), Fixed(Major), SCHEMA, None, "where formats are enforced, texts of the old format no longer fit";
    UniquenessAdded "uniqueness_added" Sets, Sets, SCHEMA, None, "lists with equal items no longer fit";
    UniquenessRemoved "uniqueness_removed" Sets, Sets, SCHEMA, None, "lists with equal items may come";
    // Objects, arrays, unions.
    ObjectClosed "object_closed" Sets, Sets, SCHEMA, None, "fields that are not declared are refused";
    ObjectOpened "object_opened" Sets, Sets, SCHEMA, None, "fields that are not declared may come";
    ExtraFieldsChanged "extra_fields_changed" Sets, Sets, SCHEMA, Major, "undeclared fields have other values";
    ItemsImposed "items_imposed" Sets, Sets, SCHEMA, Major, "items of other shapes no longer fit";
    ItemsLifted "items_lifted" Sets, Sets, SCHEMA, Major, "items of any shape may come";
    VariantAdded "variant_added" Sets, Sets, SCHEMA, Major, "a variant may come that no old client knows";
    VariantRemoved "variant_removed" Sets, Sets, SCHEMA, Major, "a variant that was accepted no longer is";
    ConstraintChanged "constraint_changed" Sets, Sets, SCHEMA, Major, "the keyword admits other values";
    // Whatever the walk has no name for.
    SchemaNarrowed "schema_narrowed" Sets, Sets, SCHEMA, Major, "some values that fitted no longer do";
    SchemaWidened "schema_widened" Sets, Sets, SCHEMA, Major, "some values that did not fit now do";
    SchemaIncomparable "schema_incomparable" Sets, Sets, SCHEMA, Major, "each side has values that the other has not";
    SchemaUndecided "schema_undecided" Fixed(Major), Fixed(Major), SCHEMA, Major, "the two could not be compared, and what is not proven counts as breaking";
    SchemaRespelled "schema_respelled" Fixed(None), Fixed(None), SCHEMA, None, "the same values fit";
    // What a schema says beside its set.
    DefaultAdded "default_added" Fixed(Minor), Fixed(Patch), SCHEMA, None, "nothing was promised to who leaves it out, and now something is";
    DefaultChanged "default_changed" Fixed(Major), Fixed(Patch), SCHEMA, None, "a call that leaves it out now means something else";
    DefaultRemoved "default_removed" Fixed(Major), Fixed(Patch), SCHEMA, None, "a call that leaves it out no longer knows what it means";
    AnnotationChanged "annotation_changed" Fixed(Patch), Fixed(Patch), SCHEMA, Patch, "it constrains nothing";
    DescriptionChanged "description_changed" Fixed(Patch), Fixed(Patch), Fixed(Patch), Patch, "words only";
    TitleChanged "title_changed" Fixed(Patch), Fixed(Patch), Fixed(Patch), Patch, "words only";
    DeprecationAdded "deprecation_added" Fixed(Minor), Fixed(Minor), Fixed(Minor), Minor, "it goes on working, and compilers warn";
    DeprecationChanged "deprecation_changed" Fixed(Patch), Fixed(Patch), Fixed(Patch), Patch, "words only";
    DeprecationWithdrawn "deprecation_withdrawn" Fixed(Minor), Fixed(Minor), Fixed(Minor), Patch, "it stays after all";
    // Tools.
    ToolAdded "tool_added" SURFACE, SURFACE, Fixed(Minor), Major, "no old client calls it; the trait of the handlers and the enum of the names grow";
    ToolRemoved "tool_removed" SURFACE, SURFACE, Fixed(Major), Major, "a client that calls it gets an error";
    ToolLeftCore "tool_left_core" SURFACE, SURFACE, Fixed(Major), None, "a client of the core toolset no longer finds it";
    ToolJoinedCore "tool_joined_core" SURFACE, SURFACE, Fixed(Minor), None, "a client of the core toolset finds one more";
    ToolAccessChanged "tool_access_changed" SURFACE, SURFACE, Fixed(Patch), Major, "the hints say what a client may rely on; the signature of the handler follows the access";
    ToolSinceChanged "tool_since_changed" SURFACE, SURFACE, Fixed(Patch), None, "words only";
    ToolDetailChanged "tool_detail_changed" SURFACE, SURFACE, Fixed(Patch), None, "nothing is called or read by it";
    ToolExecutionNarrowed "tool_execution_narrowed" SURFACE, SURFACE, Fixed(Major), None, "a way to call the tool is gone: as a task, or without one";
    ToolExecutionWidened "tool_execution_widened" SURFACE, SURFACE, Fixed(Minor), None, "there is one more way to call the tool: as a task, or without one";
    OutputSchemaAdded "output_schema_added" SURFACE, SURFACE, Fixed(Minor), Major, "more is promised than before";
    OutputSchemaRemoved "output_schema_removed" SURFACE, SURFACE, Fixed(Major), Major, "nothing is promised of the answer any more";
    HintWeakened "hint_weakened" SURFACE, SURFACE, Fixed(Major), None, "a client that let the call pass without asking a person relied on it";
    HintStrengthened "hint_strengthened" SURFACE, SURFACE, Fixed(Minor), None, "more is promised than before";
    ToolErrorAdded "tool_error_added" SURFACE, SURFACE, Fixed(Minor), None, "the vocabulary is known to every client; one more of it may come";
    ToolErrorRemoved "tool_error_removed" SURFACE, SURFACE, Fixed(Major), None, "what failed with it fails with another now, and a client branches on it";
    ToolErrorReworded "tool_error_reworded" SURFACE, SURFACE, Fixed(Patch), None, "words only";
    ExamplesChanged "examples_changed" SURFACE, SURFACE, Fixed(Patch), None, "words only";
    // Errors.
    ErrorCodeAdded "error_code_added" SURFACE, SURFACE, Fixed(Major), Major, "the vocabulary is closed, and no old client knows the code";
    ErrorCodeRemoved "error_code_removed" SURFACE, SURFACE, Fixed(Major), Major, "a client branches on it";
    ErrorCodeMoved "error_code_moved" SURFACE, SURFACE, Fixed(Major), None, "a client branches on its status, or retries because of it";
    ErrorReworded "error_reworded" SURFACE, SURFACE, Fixed(Patch), Patch, "words only";
    PrefixAdded "prefix_added" SURFACE, SURFACE, Fixed(Minor), Major, "no old client looks for it";
    PrefixRemoved "prefix_removed" SURFACE, SURFACE, Fixed(Major), Major, "a client branches on it";
    PrefixMoved "prefix_moved" SURFACE, SURFACE, Fixed(Major), None, "a client looks for it under its code";
    PrefixReworded "prefix_reworded" SURFACE, SURFACE, Fixed(Patch), Patch, "words only";
    // Resources, prompts, routes.
    ResourceAdded "resource_added" SURFACE, SURFACE, Fixed(Minor), None, "no old client reads it";
    ResourceRemoved "resource_removed" SURFACE, SURFACE, Fixed(Major), None, "a client that reads it gets an error";
    ResourceChanged "resource_changed" SURFACE, SURFACE, Fixed(Major), None, "what reads it parses something else";
    ResourceReworded "resource_reworded" SURFACE, SURFACE, Fixed(Patch), None, "words only";
    PromptAdded "prompt_added" SURFACE, SURFACE, Fixed(Minor), None, "no old client asks for it";
    PromptRemoved "prompt_removed" SURFACE, SURFACE, Fixed(Major), None, "a client that asks for it gets an error";
    PromptChanged "prompt_changed" SURFACE, SURFACE, Fixed(Minor), None, "it is filled in by other means than before";
    PromptReworded "prompt_reworded" SURFACE, SURFACE, Fixed(Patch), None, "words only";
    PromptSinceChanged "prompt_since_changed" SURFACE, SURFACE, Fixed(Patch), None, "words only";
    PromptArgumentAddedOptional "prompt_argument_added_optional" SURFACE, SURFACE, Fixed(Minor), None, "a client that does not know it leaves it out";
    PromptArgumentAddedRequired "prompt_argument_added_required" SURFACE, SURFACE, Fixed(Major), None, "a client that does not know it is refused";
    PromptArgumentRemoved "prompt_argument_removed" SURFACE, SURFACE, Fixed(Major), None, "a client that sends it no longer gets what it was promised";
    PromptArgumentBecameRequired "prompt_argument_became_required" SURFACE, SURFACE, Fixed(Major), None, "a client that left it out is refused";
    PromptArgumentBecameOptional "prompt_argument_became_optional" SURFACE, SURFACE, Fixed(Minor), None, "a client that sends it goes on";
    RouteAdded "route_added" SURFACE, SURFACE, Fixed(Minor), None, "no old client asks for it";
    RouteRemoved "route_removed" SURFACE, SURFACE, Fixed(Major), None, "a client that asks for it gets an error";
    RouteChanged "route_changed" SURFACE, SURFACE, Fixed(Major), None, "a client sends, signs or reads it in the old way";
    RouteErrorAdded "route_error_added" SURFACE, SURFACE, Fixed(Minor), None, "the vocabulary is known to every client; one more of it may come";
    RouteReworded "route_reworded" SURFACE, SURFACE, Fixed(Patch), None, "words only";
    // Settings.
    BudgetAdded "budget_added" SURFACE, SURFACE, Fixed(Minor), Minor, "more is promised than before";
    BudgetRemoved "budget_removed" SURFACE, SURFACE, Fixed(Major), Major, "a client made room for no more than this";
    BudgetRaised "budget_raised" SURFACE, SURFACE, Fixed(Major), None, "a client made room for no more than this";
    BudgetLowered "budget_lowered" SURFACE, SURFACE, Fixed(Minor), None, "more is promised than before";
    ConstantAdded "constant_added" SURFACE, SURFACE, Fixed(Minor), Minor, "no old client looks for it";
    ConstantRemoved "constant_removed" SURFACE, SURFACE, Fixed(Major), Major, "a client looks for it";
    ConstantChanged "constant_changed" SURFACE, SURFACE, Fixed(Major), None, "a client looks for the old one";
    InstructionsChanged "instructions_changed" SURFACE, SURFACE, Fixed(Patch), None, "words only";
    SettingReworded "setting_reworded" SURFACE, SURFACE, Fixed(Patch), None, "words only";
    ClientLimitChanged "client_limit_changed" SURFACE, SURFACE, Fixed(Patch), None, "what a client cannot take was always left out for it";
}
