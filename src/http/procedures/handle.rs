//! How a procedure is declared, and the handle by which the rest of the program calls it.

use futures_util::future::LocalBoxFuture;
use schemars::SchemaGenerator;
use serde_json::Value;

use super::{
    Call, Check, Group, Input, Needs, Output, Procedure, Run, check_input, read, trail::Change,
};
use crate::fault::Fault;

/// A declared procedure, with the types of its input and output.
///
/// The program calls procedures through these values: the compiler checks names, inputs and outputs.
#[derive(Debug)]
pub struct Handle<I: 'static, O: 'static> {
    pub group: Group,
    /// Its name within the group.
    pub name: &'static str,
    pub needs: Needs,
    /// Whether it changes nothing.
    pub reads: bool,
    /// Whether the procedure table logs what it changes.
    pub is_logged: bool,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// The rules of its input beyond the shape.
    pub check: Check<I>,
    /// Does it, for a caller who is admitted and an input that is checked.
    pub handler: fn(Call, I) -> LocalBoxFuture<'static, Result<O, Fault>>,
}

impl<I: Input, O: Output> Handle<I, O> {
    /// Calls it with the rights of the caller.
    pub async fn call(&self, call: Call, input: I) -> Result<O, Fault> {
        self.needs.admit(&call.caller)?;
        let input = check_input(input, self.check)?;
        self.handle(call, input, &Value::Null).await
    }

    /// Calls it with an input that came from outside of the program, such as the fields of a form.
    pub async fn submit(&self, call: Call, input: &Value) -> Result<O, Fault> {
        self.needs.admit(&call.caller)?;
        self.handle(call, self.read(input)?, input).await
    }

    /// Does it, and logs what it changes. `written` is the input as it came, if it came from outside.
    async fn handle(&self, call: Call, input: I, written: &Value) -> Result<O, Fault> {
        let permission = match self.needs {
            Needs::Permission(permission) => Some(permission),
            Needs::Session | Needs::Nothing => None,
        };
        let change = if self.is_logged {
            Change::begin(&call, (&self.group, self.name), permission, written).await
        } else {
            None
        };
        let handler = (self.handler)(call, input);
        match change {
            Some(change) => change.run(handler).await,
            None => handler.await,
        }
    }

    fn read(&self, input: &Value) -> Result<I, Fault> {
        check_input(read(input)?, self.check)
    }

    /// The same without its types, for those who treat all procedures alike.
    pub const fn erase(&'static self) -> Procedure {
        Procedure {
            router: self.group.router,
            group: self.group.path,
            name: self.name,
            tag: self.group.tag,
            needs: self.needs,
            reads: self.reads,
            is_logged: self.is_logged,
            summary: self.summary,
            input: SchemaGenerator::subschema_for::<I>,
            output: SchemaGenerator::subschema_for::<O>,
            run: self,
        }
    }
}

impl<I: Input, O: Output> Run for Handle<I, O> {
    fn check(&self, input: &Value) -> Result<(), Fault> {
        self.read(input).map(drop)
    }

    fn run(
        &'static self,
        call: Call,
        input: Value,
    ) -> LocalBoxFuture<'static, Result<Value, Fault>> {
        Box::pin(async move {
            let output = self.handle(call, self.read(&input)?, &input).await?;
            serde_json::to_value(output).map_err(Fault::internal)
        })
    }
}

/// Declares the procedures of a group: a handle each, and `procedures()`, which lists them and those of modules below.
///
/// `LIST = "list", reads(LinkRead), list(ListBody) -> Vec<FolderOut>: "List folders";` is the handle `LIST` of the
/// procedure `list`, which changes nothing, needs the permission `LinkRead` (or a `Session`, or `Nothing`) and is done by
/// the function `list`. `changes` is for one that changes a resource, which the audit log gets to know; `acts` for one
/// that changes something else, or writes its own entry. `update(UpdateBody, check)` says that the input has rules
/// beyond its shape, which its function `check` knows. `list::<GoalOut>(…)` is done by a generic function.
macro_rules! procedures {
    ($group:ident $(+ $below:ident)*; $(
        $handle:ident = $name:literal, $effect:ident($needs:ident), $handler:ident $(::<$of:ty>)? ($input:ty $(, $check:ident)?) -> $output:ty: $summary:literal;
    )*) => {
        $(
            #[doc = $summary]
            pub static $handle: $crate::http::procedures::Handle<$input, $output> = $crate::http::procedures::Handle {
                group: $group,
                name: $name,
                needs: procedures!(@needs $needs),
                reads: procedures!(@reads $effect),
                is_logged: procedures!(@logged $effect),
                summary: $summary,
                check: procedures!(@check $input $(, $check)?),
                handler: |call, input| Box::pin($handler $(::<$of>)? (call, input)),
            };
        )*

        pub(in crate::http::procedures) fn procedures() -> Vec<$crate::http::procedures::Procedure> {
            let own = vec![$($handle.erase()),*];
            [own $(, $below::procedures())*].concat()
        }
    };
    (@needs Session) => { $crate::http::procedures::Needs::Session };
    (@needs Nothing) => { $crate::http::procedures::Needs::Nothing };
    (@needs $permission:ident) => {
        $crate::http::procedures::Needs::Permission($crate::access::Permission::$permission)
    };
    (@check $input:ty) => { |_, _| {} };
    (@check $input:ty, $check:ident) => { <$input>::$check };
    (@reads reads) => { true };
    (@reads changes) => { false };
    (@reads acts) => { false };
    (@logged reads) => { false };
    (@logged changes) => { true };
    (@logged acts) => { false };
}
